/* A CBLAS that computes nothing and says what its definitions tell it to (tests/CMakeLists.txt):
 * FAKE_CONFIG_TEXT and FAKE_CORE_TEXT by OpenBLAS's functions, or by FAKE_CONFIG where that is
 * another name; FAKE_DGEMM is cblas_dgemm, or missing under another name. */

void FAKE_DGEMM(void);
void cblas_sgemm(void);
const char *FAKE_CONFIG(void);
const char *openblas_get_corename(void);
int openblas_get_parallel(void);
void openblas_set_num_threads(int thread_count);
int fake_told_threads(void);
int fake_told_count(void);

static int told_threads, told_count;

void FAKE_DGEMM(void)
{
}

void cblas_sgemm(void)
{
}

const char *FAKE_CONFIG(void)
{
    return FAKE_CONFIG_TEXT;
}

const char *openblas_get_corename(void)
{
    return FAKE_CORE_TEXT;
}

int openblas_get_parallel(void)
{
    return 1;
}

void openblas_set_num_threads(int thread_count)
{
    told_threads = thread_count;
    told_count++;
}

/* What the test asks: the number said last, and how often one was said. */
int fake_told_threads(void)
{
    return told_threads;
}

int fake_told_count(void)
{
    return told_count;
}
