#include "env/facts.h"

#include <stdio.h>
#include <string.h>

#define CPU "/sys/devices/system/cpu"
#define VM "/proc/sys/vm/"
#define HUGE "/sys/kernel/mm/transparent_hugepage/"

/* In the order in which people read them. */
const struct fact_row fact_rows[] = {
    {"board", read_board, "/proc/device-tree/model", FACT_FACTOR, 0},
    {"board_serial", read_serial, "/proc/device-tree/serial-number", FACT_INFORMATIONAL,
     ROW_REDACT},
    {"hostname", read_file, "/proc/sys/kernel/hostname", FACT_INFORMATIONAL, ROW_REDACT},
    {"os", read_os, "/etc/os-release", FACT_FACTOR, 0},
    {"kernel", read_file, "/proc/sys/kernel/osrelease", FACT_FACTOR, 0},
    {"kernel_build", read_file, "/proc/sys/kernel/version", FACT_INFORMATIONAL, 0},
    {"machine", read_machine, "uname", FACT_FACTOR, 0},
    {"kernel_bits", read_kernel_bits, "uname", FACT_FACTOR, ROW_NUMBER},
    {"userland_bits", read_elf_bits, "/bin/sh", FACT_FACTOR, ROW_NUMBER},
    {"page_size_bytes", read_page_size, "sysconf", FACT_FACTOR, ROW_NUMBER},

    {"sbench", read_version, "this build", FACT_MUST_MATCH, 0},
    {"elf_bits", read_elf_bits, "/proc/self/exe", FACT_FACTOR, ROW_NUMBER},
    {"word_bits", read_sizes, "size_t", FACT_FACTOR, ROW_NUMBER},
    {"pointer_bits", read_sizes, "void *", FACT_FACTOR, ROW_NUMBER},
    {"off_t_bits", read_sizes, "off_t", FACT_MUST_MATCH, ROW_NUMBER},
    {"time_t_bits", read_sizes, "time_t", FACT_INFORMATIONAL, ROW_NUMBER},
    {"compiler", read_compiler, "this build", FACT_FACTOR, 0},
    {"compiler_flags", read_flags, "this build", FACT_MUST_MATCH, 0},
    {"luajit", NULL, "the script engine", FACT_MUST_MATCH, 0},
    {"luajit_compiler", NULL, "the script engine", FACT_MUST_MATCH, 0},

    {"cpu_model", read_model, "/proc/cpuinfo", FACT_FACTOR, 0},
    {"cpus_online", read_online, CPU "/online", FACT_FACTOR, 0},
    {"cpus_allowed", read_allowed, "/proc/self/status", FACT_MUST_MATCH, 0},
    {"cpu_quota", read_quota, "/sys/fs/cgroup", FACT_MUST_MATCH, ROW_NUMBER},
    {"core_kinds", read_kinds, CPU, FACT_FACTOR, 0},
    {"smt", read_file, CPU "/smt/active", FACT_MUST_MATCH, ROW_NUMBER},
    {"cache_l1d_bytes", read_cache, "1", FACT_FACTOR, ROW_NUMBER},
    {"cache_l2_bytes", read_cache, "2", FACT_FACTOR, ROW_NUMBER},
    {"cache_l3_bytes", read_cache, "3", FACT_FACTOR, ROW_NUMBER},

    {"cpufreq_driver", read_policies, "scaling_driver", FACT_INFORMATIONAL, 0},
    {"governor", read_policies, "scaling_governor", FACT_MUST_MATCH, 0},
    {"cpu_limit_khz", read_policies, "cpuinfo_max_freq", FACT_FACTOR, ROW_NUMBER},
    {"cpu_max_khz", read_policies, "scaling_max_freq", FACT_MUST_MATCH, ROW_NUMBER},
    {"cpu_now_low_khz", read_clock, "low", FACT_INFORMATIONAL, ROW_NUMBER | ROW_STATE},
    {"cpu_now_high_khz", read_clock, "high", FACT_INFORMATIONAL, ROW_NUMBER | ROW_STATE},
    {"cpu_measured_khz", read_speed, "a chain of additions, timed", FACT_INFORMATIONAL,
     ROW_NUMBER | ROW_STATE | ROW_SLOW},
    {"temperature_c", read_temperature, "/sys/class/thermal", FACT_INFORMATIONAL,
     ROW_NUMBER | ROW_STATE},
    {"temperatures", read_zones, "/sys/class/thermal", FACT_INFORMATIONAL, ROW_STATE},
    {"undervoltage", read_undervoltage, "/sys/class/hwmon", FACT_MUST_MATCH,
     ROW_NUMBER | ROW_STATE},
    {"throttling", read_throttling, "/sys/class/thermal", FACT_MUST_MATCH, ROW_STATE},

    {"mem_total_bytes", read_meminfo, "MemTotal", FACT_FACTOR, ROW_NUMBER},
    {"mem_available_bytes", read_meminfo, "MemAvailable", FACT_INFORMATIONAL,
     ROW_NUMBER | ROW_STATE},
    {"memory_limit_bytes", read_memory_limit, "/sys/fs/cgroup", FACT_MUST_MATCH, ROW_NUMBER},
    {"swaps", read_swaps, "/proc/swaps", FACT_MUST_MATCH, 0},
    {"swappiness", read_file, VM "swappiness", FACT_MUST_MATCH, ROW_NUMBER},
    {"dirty_ratio_percent", read_file, VM "dirty_ratio", FACT_MUST_MATCH, ROW_NUMBER},
    {"dirty_background_ratio_percent", read_file, VM "dirty_background_ratio", FACT_MUST_MATCH,
     ROW_NUMBER},
    {"dirty_bytes", read_file, VM "dirty_bytes", FACT_MUST_MATCH, ROW_NUMBER},
    {"dirty_background_bytes", read_file, VM "dirty_background_bytes", FACT_MUST_MATCH, ROW_NUMBER},
    {"dirty_expire_centisecs", read_file, VM "dirty_expire_centisecs", FACT_MUST_MATCH, ROW_NUMBER},
    {"dirty_writeback_centisecs", read_file, VM "dirty_writeback_centisecs", FACT_MUST_MATCH,
     ROW_NUMBER},
    {"transparent_hugepages", read_chosen, HUGE "enabled", FACT_MUST_MATCH, 0},
    {"hugepage_bytes", read_meminfo, "Hugepagesize", FACT_INFORMATIONAL, ROW_NUMBER},
    {"hugepages_free", read_meminfo, "HugePages_Free", FACT_INFORMATIONAL, ROW_NUMBER},

    {"kernel_cmdline", read_cmdline, "/proc/cmdline", FACT_MUST_MATCH, 0},
    {"vulnerabilities", read_vulnerabilities, CPU "/vulnerabilities", FACT_MUST_MATCH, ROW_SLOW},
    {"load1", read_first_number, "/proc/loadavg", FACT_INFORMATIONAL, ROW_NUMBER | ROW_STATE},
    {"cpu_pressure_percent", read_pressure, "/proc/pressure/cpu", FACT_INFORMATIONAL,
     ROW_NUMBER | ROW_STATE},
    {"io_pressure_percent", read_pressure, "/proc/pressure/io", FACT_INFORMATIONAL,
     ROW_NUMBER | ROW_STATE},
    {"memory_pressure_percent", read_pressure, "/proc/pressure/memory", FACT_INFORMATIONAL,
     ROW_NUMBER | ROW_STATE},
    {"cpu_steal_s", read_steal, "/proc/stat", FACT_INFORMATIONAL, ROW_NUMBER | ROW_STATE},
};
const size_t fact_row_count = sizeof fact_rows / sizeof fact_rows[0];

const struct fact_row *fact_row_find(const char *key)
{
    for (size_t i = 0; i < fact_row_count; i++)
        if (strcmp(fact_rows[i].key, key) == 0)
            return &fact_rows[i];
    return NULL;
}

void reader_init(struct reader *r, const char *root)
{
    memset(r, 0, sizeof *r);
    r->root = root;
    cgroup_read(&r->limits, root);
    r->cpus_known = cpus_read(&r->cpus, root) == 0;
    source_read(root, "/proc/meminfo", r->meminfo, sizeof r->meminfo);
}

void reader_release(struct reader *r)
{
    buf_release(&r->value);
}

void reader_source(struct reader *r, const char *source)
{
    snprintf(r->source, sizeof r->source, "%s", source);
}
