#include "harness/machine/machine_topology.h"

#include "harness/machine/machine.h"

#include <errno.h>
#include <hwloc.h>
#include <string.h>

/* Loads the whole machine, processors that we may not use included, with its PCI devices. Two
 * plugins would start graphics drivers, which takes seconds and device memory; the third only
 * adds names to the PCI devices that sysfs shows, and leaks. */
static enum status load(hwloc_topology_t topology)
{
    static const char *const unwanted[] = {"opencl", "gl", "pci"};
    for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                      unwanted[i]);
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (hwloc_topology_load(topology) != 0)
        return FAIL(STATUS_IO, "hwloc cannot read this machine's topology: %s; is /sys mounted?",
                    strerror(errno));
    return STATUS_OK;
}

static enum status count(hwloc_topology_t topology, struct machine_topology *counted)
{
    TRY(load(topology));
    counted->core_count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    counted->processor_count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) &&
           counted->numa_count < MACHINE_NUMA_MAX)
        counted->numa[counted->numa_count++] = (struct machine_numa){
            .os_index = (int)node->os_index,
            .memory_bytes = (int64_t)node->attr->numanode.local_memory,
        };
    return STATUS_OK;
}

static enum status export(hwloc_topology_t topology, char **xml) {
    char *buffer; int length; TRY(load(topology));
    if (hwloc_topology_export_xmlbuffer(topology, &buffer, &length, 0) !=
        0) return FAIL(STATUS_IO, "hwloc cannot write this machine's topology as XML: %s",
                       strerror(errno));
    *xml = strdup(buffer); /* the caller need not know whose buffer it was */
    hwloc_free_xmlbuffer(topology, buffer);
    return *xml ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for %d bytes of topology", length);
}

static enum status open_topology(hwloc_topology_t *topology)
{
    if (hwloc_topology_init(topology) != 0)
        return FAIL(STATUS_NO_MEMORY, "hwloc cannot start: %s", strerror(errno));
    return STATUS_OK;
}

enum status machine_topology_read(struct machine_topology *counted)
{
    hwloc_topology_t topology;
    memset(counted, 0, sizeof(*counted));
    TRY(open_topology(&topology));
    enum status status = count(topology, counted);
    hwloc_topology_destroy(topology);
    return status;
}

enum status machine_topology_xml(char **xml)
{
    hwloc_topology_t topology;
    *xml = NULL;
    TRY(open_topology(&topology));
    enum status status = export(topology, xml);
    hwloc_topology_destroy(topology);
    return status;
}
