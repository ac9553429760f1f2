/* Whether this is a virtual machine: its numbers are taken beside neighbours that it cannot see. */
#pragma once

#include "harness/base/c_api.h"

#include <stdbool.h>
#include <stddef.h>

C_API_BEGIN

/* From the hypervisor flag of /proc/cpuinfo, /sys/hypervisor and DMI; some 50 us. */
bool machine_virtual(void);

/* "KVM", "xen", ...; "unknown" where a virtual machine does not tell; "" on bare metal. */
const char *machine_hypervisor(char *name, size_t size);

/* What a machine vendor and product (DMI) reveal; NULL: no known virtual machine. */
const char *virtual_dmi_hypervisor(const char *vendor_and_product);

/* Whether the flags of the first processor in a text of /proc/cpuinfo have this word. */
bool virtual_cpu_flag(const char *cpuinfo, const char *flag);

C_API_END
