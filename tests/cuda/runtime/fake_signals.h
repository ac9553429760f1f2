/* Between the fake's stream and the fake's latch. */
#pragma once

struct cuda_latch;

/* Puts a closed latch in front of the stream. */
void fake_close_latch(struct cuda_latch *latch);
