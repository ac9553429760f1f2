#include "harness/measure/virtual.h"

#include "harness/measure/text_file.h"

#include <stdio.h>
#include <string.h>

enum { CPUINFO_BYTES = 16384 }; /* the first processor's paragraph and more */

const char *virtual_dmi_hypervisor(const char *vendor_and_product)
{
    static const char *const known[][2] = {
        {"KVM", "KVM"},         {"QEMU", "KVM"},
        {"VMware", "VMware"},   {"VirtualBox", "VirtualBox"},
        {"HVM domU", "xen"},    {"Virtual Machine", "Hyper-V"},
        {"BHYVE", "bhyve"},     {"Google Compute Engine", "KVM"},
        {"Firecracker", "KVM"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strstr(vendor_and_product, known[i][0]))
            return known[i][1];
    return NULL;
}

bool virtual_cpu_flag(const char *cpuinfo, const char *flag)
{
    const char *line = strstr(cpuinfo, "\nflags");
    if (!line)
        line = strstr(cpuinfo, "\nFeatures"); /* aarch64 */
    if (!line)
        return false;
    const char *end = line + 1 + strcspn(line + 1, "\n");
    size_t length = strlen(flag);
    for (const char *at = strstr(line, flag); at && at < end; at = strstr(at + 1, flag))
        if (strchr(" \t", at[-1]) && (at[length] == '\0' || strchr(" \n", at[length])))
            return true;
    return false;
}

static const char *dmi_hypervisor(void)
{
    static const char directory[] = "/sys/class/dmi/id";
    char vendor[128], product[128], both[260];
    text_file_line(directory, "sys_vendor", vendor, sizeof(vendor));
    text_file_line(directory, "product_name", product, sizeof(product));
    snprintf(both, sizeof(both), "%s %s", vendor, product);
    return virtual_dmi_hypervisor(both);
}

static bool hypervisor_flag(void)
{
    char cpuinfo[CPUINFO_BYTES];
    text_file_read("/proc/cpuinfo", cpuinfo, sizeof(cpuinfo));
    return virtual_cpu_flag(cpuinfo, "hypervisor");
}

bool machine_virtual(void)
{
    char type[64];
    return hypervisor_flag() || dmi_hypervisor() ||
           text_file_line("/sys/hypervisor", "type", type, sizeof(type)) > 0;
}

const char *machine_hypervisor(char *name, size_t size)
{
    static const char clocks[] = "/sys/devices/system/clocksource/clocksource0";
    char available[256];
    const char *from_dmi = dmi_hypervisor();
    if (!machine_virtual()) {
        name[0] = '\0';
        return name;
    }
    if (text_file_line("/sys/hypervisor", "type", name, size) > 0)
        return name;
    text_file_line(clocks, "available_clocksource", available, sizeof(available));
    if (!from_dmi && strstr(available, "kvm-clock"))
        from_dmi = "KVM";
    if (!from_dmi && strstr(available, "hyperv"))
        from_dmi = "Hyper-V";
    snprintf(name, size, "%s", from_dmi ? from_dmi : "unknown");
    return name;
}
