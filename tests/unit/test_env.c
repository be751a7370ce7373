#include "tree.h"

#include "base/clock.h"
#include "env/cgroup.h"
#include "env/env.h"
#include "env/env_command.h"
#include "env/env_diff.h"
#include "env/facts.h"
#include "env/processor.h"
#include "env/sensors.h"

#include <inttypes.h>
#include <jansson.h>

#define CPU "/sys/devices/system/cpu/"
#define THERMAL "/sys/class/thermal/"
#define HWMON "/sys/class/hwmon/"

/* --- help ---------------------------------------------------------------------- */

static struct env collect(const char *root, unsigned flags)
{
    struct env env;
    struct err e = {0};
    if (env_collect_at(&env, root, flags, &e) != 0)
        fail_msg("%s", e.text);
    return env;
}

static void expect(const struct env *env, const char *key, const char *value)
{
    const struct fact *f = env_get(env, key);
    if (!f) {
        fail_msg("there is no fact %s", key);
        return; /* not reached, but analysers do not know */
    }
    if (!value) {
        assert_null(f->value);
        assert_int_not_equal(f->status, FACT_OK);
        return;
    }
    if (!f->value || strcmp(f->value, value) != 0)
        fail_msg("%s is '%s', not '%s'", key, f->value ? f->value : "NULL", value);
    assert_int_equal(f->status, FACT_OK);
}

static void expect_source(const struct env *env, const char *key, const char *source)
{
    assert_string_equal(env_get(env, key)->source, source);
}

/* All notes, a line each: "key: text". */
static void gather(void *to, const char *key, const char *text)
{
    assert_null(strchr(text, '\n'));
    buf_printf(to, "%s: %s\n", key, text);
}

static void expect_notes(const char *root, unsigned threads, const char *const *words, size_t lines)
{
    struct env env = collect(root, 0);
    struct buf out = {0};
    size_t seen = 0;
    env_notes(&env, threads, gather, &out);
    for (const char *s = buf_text(&out); (s = strchr(s, '\n')); s++)
        seen++;
    for (; *words; words++)
        if (!strstr(buf_text(&out), *words))
            fail_msg("'%s' is not in: %s", *words, buf_text(&out));
    if (seen != lines)
        fail_msg("%zu notes instead of %zu: %s", seen, lines, buf_text(&out));
    buf_release(&out);
    env_release(&env);
}

#define EXPECT_NOTES(root, threads, lines, ...)                                                    \
    expect_notes(root, threads, (const char *const[]){__VA_ARGS__, NULL}, lines)
#define EXPECT_NO_NOTES(root, threads) expect_notes(root, threads, (const char *const[]){NULL}, 0)

/* --- made-up machines ------------------------------------------------------------ */

static void put_policy(const char *root, int n, const char *members, const char *governor,
                       const char *now, const char *cap, const char *limit)
{
    tree_putn(root, n, CPU "cpufreq/policy%d/related_cpus", members);
    tree_putn(root, n, CPU "cpufreq/policy%d/scaling_governor", governor);
    tree_putn(root, n, CPU "cpufreq/policy%d/scaling_driver", "cpufreq-dt\n");
    tree_putn(root, n, CPU "cpufreq/policy%d/scaling_cur_freq", now);
    tree_putn(root, n, CPU "cpufreq/policy%d/scaling_max_freq", cap);
    tree_putn(root, n, CPU "cpufreq/policy%d/cpuinfo_max_freq", limit);
}

static void put_cpuinfo(const char *root, const char *const *parts)
{
    struct buf text = {0};
    for (int i = 0; parts[i]; i++)
        buf_printf(&text,
                   "processor\t: %d\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\n"
                   "CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: %s\n\n",
                   i, parts[i]);
    tree_put(root, "/proc/cpuinfo", buf_text(&text));
    buf_release(&text);
}

static void put_cache(const char *root, int n, const char *level, const char *type,
                      const char *size)
{
    tree_putn(root, n, CPU "cpu0/cache/index%d/level", level);
    tree_putn(root, n, CPU "cpu0/cache/index%d/type", type);
    tree_putn(root, n, CPU "cpu0/cache/index%d/size", size);
}

/* A Raspberry Pi 4 that is well. */
static void put_pi(const char *root)
{
    static const char *const parts[] = {"0xd08", "0xd08", "0xd08", "0xd08", NULL};
    tree_put_cpus(root, "0-3\n", "0-3");
    put_cpuinfo(root, parts);
    tree_put(root, "/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4");
    tree_put(root, "/proc/device-tree/serial-number", "10000000abcdef01");
    tree_put(root, "/proc/sys/kernel/hostname", "raspberrypi\n");
    tree_put(root, "/proc/sys/kernel/osrelease", "6.6.31+rpt-rpi-v8\n");
    tree_put(root, "/etc/os-release",
             "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n");
    put_policy(root, 0, "0 1 2 3\n", "ondemand\n", "600000\n", "1500000\n", "1500000\n");
    tree_put(root, THERMAL "thermal_zone0/type", "cpu-thermal\n");
    tree_put(root, THERMAL "thermal_zone0/temp", "48312\n");
    tree_put(root, HWMON "hwmon0/name", "cpu_thermal\n");
    tree_put(root, HWMON "hwmon1/name", "rpi_volt\n");
    tree_put(root, HWMON "hwmon1/in0_lcrit_alarm", "0\n");
    put_cache(root, 0, "1\n", "Data\n", "32K\n");
    put_cache(root, 1, "1\n", "Instruction\n", "48K\n");
    put_cache(root, 2, "2\n", "Unified\n", "1024K\n");
    tree_put(root, "/proc/meminfo",
             "MemTotal:        3884376 kB\nMemFree:  100 kB\nMemAvailable:    3400000 kB\n"
             "HugePages_Free:        7\nHugepagesize:       2048 kB\n");
    tree_put(root, "/proc/swaps",
             "Filename\tType\tSize\tUsed\tPriority\n"
             "/home/joe/swap   file\t102396\t0\t-2\n"
             "/dev/zram0 partition 524284 12 100\n");
    tree_put(root, "/proc/cmdline",
             "coherent_pool=1M smsc95xx.macaddr=DC:A6:32:01:02:03 root=PARTUUID=1234 "
             "cgroup_disable=memory mitigations=off -- init_on_alloc=1\n");
    tree_put(root, "/proc/loadavg", "0.31 0.20 0.10 1/200 4242\n");
    tree_put(root, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    tree_put(root, "/proc/sys/vm/dirty_ratio", "20\n");
    tree_put(root, "/proc/pressure/io",
             "some avg10=1.25 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0\n");
    tree_put(root, "/proc/stat", "cpu  10 20 30 40 50 60 70 150 0 0\ncpu0 1 2 3 4\n");
}

/* --- facts ------------------------------------------------------------------------ */

static void test_raspberry_pi(void **state)
{
    put_pi(*state);
    struct env env = collect(*state, 0);
    expect(&env, "board", "Raspberry Pi 4 Model B Rev 1.4");
    expect_source(&env, "board", "/proc/device-tree/model");
    expect(&env, "kernel", "6.6.31+rpt-rpi-v8");
    expect(&env, "os", "Debian GNU/Linux 12 (bookworm)");
    expect(&env, "cpu_model", "Cortex-A72");
    expect(&env, "cpus_online", "0-3");
    expect(&env, "cpus_allowed", "0-3");
    expect(&env, "core_kinds", "one kind");
    expect(&env, "governor", "ondemand");
    expect(&env, "cpu_max_khz", "1500000");
    expect(&env, "cpu_now_low_khz", "600000");
    expect(&env, "cache_l1d_bytes", "32768");
    expect(&env, "cache_l2_bytes", "1048576");
    expect(&env, "cache_l3_bytes", NULL);
    expect(&env, "temperature_c", "48.3");
    expect(&env, "temperatures", "cpu-thermal=48.3");
    expect(&env, "undervoltage", "0");
    expect_source(&env, "undervoltage", HWMON "hwmon1/in0_lcrit_alarm");
    expect(&env, "throttling", NULL);
    env_release(&env);
    EXPECT_NO_NOTES(*state, 4);
}

static void test_memory_and_kernel(void **state)
{
    put_pi(*state);
    struct env env = collect(*state, 0);
    expect(&env, "mem_total_bytes", "3977601024");
    expect(&env, "mem_available_bytes", "3481600000");
    expect(&env, "hugepage_bytes", "2097152");
    expect(&env, "hugepages_free", "7");
    expect(&env, "swaps", "swap (file, 102396 KiB), zram0 (partition, 524284 KiB)");
    expect(&env, "kernel_cmdline", "coherent_pool=1M cgroup_disable=memory mitigations=off");
    expect(&env, "load1", "0.31");
    expect(&env, "transparent_hugepages", "madvise");
    expect(&env, "dirty_ratio_percent", "20");
    expect(&env, "dirty_bytes", NULL);
    expect(&env, "io_pressure_percent", "1.25");
    expect(&env, "cpu_pressure_percent", NULL);
    assert_between(env_number(&env, "cpu_steal_s", -1) * (double)sysconf(_SC_CLK_TCK), 149, 151);
    env_release(&env);
}

static void test_redaction(void **state)
{
    put_pi(*state);
    struct env hidden = collect(*state, 0), again = collect(*state, 0);
    struct env open = collect(*state, ENV_REVEAL);
    struct buf text = {0};
    expect(&open, "hostname", "raspberrypi");
    expect(&open, "board_serial", "10000000abcdef01");
    assert_int_equal(env_value(&hidden, "hostname")[0], '#');
    assert_string_equal(env_value(&hidden, "board_serial"), env_value(&again, "board_serial"));
    env_text(&hidden, &text);
    assert_null(strstr(buf_text(&text), "raspberrypi"));
    assert_null(strstr(buf_text(&text), "abcdef01"));
    assert_null(strstr(buf_text(&text), "DC:A6:32"));
    assert_null(strstr(buf_text(&text), "joe"));
    buf_release(&text);
    env_release(&hidden);
    env_release(&again);
    env_release(&open);
}

static void test_empty_tree(void **state)
{
    struct env env = collect(*state, ENV_SLOW);
    expect(&env, "board", NULL);
    expect(&env, "cpu_model", NULL);
    expect(&env, "cpus_allowed", NULL);
    expect(&env, "core_kinds", NULL);
    expect(&env, "cpu_quota", NULL);
    expect(&env, "vulnerabilities", NULL);
    expect(&env, "luajit", NULL);
    assert_int_equal(env_get(&env, "board")->status, FACT_MISSING);
    assert_true(env_number(&env, "cpu_measured_khz", 0) > 1000);
    for (size_t i = 0; i < env.count; i++) {
        assert_true((env.fact[i].status == FACT_OK) == (env.fact[i].value != NULL));
        assert_true(env.fact[i].source[0] != '\0');
    }
    env_release(&env);
    EXPECT_NO_NOTES(*state, 4);
}

/* As root nothing is forbidden, so root looks as somebody else. */
static void test_permission(void **state)
{
    char path[1024];
    uid_t self = geteuid();
    tree_put(*state, "/sys/class/dmi/id/product_serial", "secret");
    snprintf(path, sizeof path, "%s/sys/class/dmi/id/product_serial", (char *)*state);
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(self == 0 ? seteuid(65534) : 0, 0);
    struct env env = collect(*state, 0);
    assert_int_equal(self == 0 ? seteuid(0) : 0, 0);
    assert_int_equal(env_get(&env, "board_serial")->status, FACT_PERMISSION);
    assert_null(env_value(&env, "board_serial"));
    env_release(&env);
}

static void test_pc(void **state)
{
    tree_put_cpus(*state, "0-15\n", "0-15");
    tree_put(*state, "/sys/class/dmi/id/sys_vendor", "LENOVO\n");
    tree_put(*state, "/sys/class/dmi/id/product_name", "20XW\n");
    tree_put(*state, "/proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Core(TM) i7\n\n");
    tree_put(*state, CPU "vulnerabilities/meltdown", "Mitigation: PTI\n");
    tree_put(*state, CPU "vulnerabilities/mds", "Not affected\n");
    tree_put(*state, HWMON "hwmon3/name", "coretemp\n");
    tree_put(*state, HWMON "hwmon3/temp1_input", "51000\n");
    struct env env = collect(*state, ENV_SLOW);
    expect(&env, "board", "LENOVO 20XW");
    expect(&env, "cpu_model", "Intel(R) Core(TM) i7");
    expect(&env, "vulnerabilities", "meltdown: Mitigation: PTI");
    expect(&env, "temperature_c", "51.0");
    env_release(&env);
}

/* Makers fill fields with phrases; the board's own name is better than those. */
static void test_unnamed_product(void **state)
{
    tree_put(*state, "/sys/class/dmi/id/sys_vendor", "To Be Filled By O.E.M.\n");
    tree_put(*state, "/sys/class/dmi/id/product_name", "Default string\n");
    tree_put(*state, "/sys/class/dmi/id/board_vendor", "ASRock\n");
    tree_put(*state, "/sys/class/dmi/id/board_name", "N100DC-ITX\n");
    struct env env = collect(*state, 0);
    expect(&env, "board", "ASRock N100DC-ITX");
    env_release(&env);
}

static void test_processor_names(void **state)
{
    static const struct {
        const char *text, *model;
    } rows[] = {
        {"processor: 0\nmodel name : ARMv6-compatible\nCPU implementer : 0x41\nCPU part : 0xb76\n",
         "ARM1176"},
        {"CPU implementer\t: 0x99\nCPU part\t: 0x123\n", "ARM implementer 0x99 part 0x123"},
        {"processor : 0\nhart : 1\nisa : rv64gc\nuarch : sifive,u74-mc\n", "sifive,u74-mc"},
        {"system type : MT7621\ncpu model : MIPS 1004Kc V2.15\n", "MIPS 1004Kc V2.15"},
        {"processor : 0\ncpu : POWER9, altivec supported\n", "POWER9, altivec supported"},
        {"nothing of use\n", ""},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct buf out = {0};
        tree_put(*state, "/proc/cpuinfo", rows[i].text);
        enum fact_status s = processor_model(*state, &out);
        assert_string_equal(buf_text(&out), rows[i].model);
        assert_int_equal(s, rows[i].model[0] ? FACT_OK : FACT_MISSING);
        buf_release(&out);
    }
}

static void test_big_little(void **state)
{
    static const char *const parts[] = {"0xd03", "0xd03", "0xd03", "0xd03", "0xd08", "0xd08", NULL};
    tree_put_cpus(*state, "0-5\n", "0-5");
    tree_put_big_little(*state);
    put_cpuinfo(*state, parts);
    put_policy(*state, 0, "0 1 2 3\n", "ondemand\n", "408000\n", "1416000\n", "1416000\n");
    put_policy(*state, 4, "4 5\n", "performance\n", "1800000\n", "1800000\n", "1800000\n");
    struct env env = collect(*state, 0);
    expect(&env, "cpu_model", "4x Cortex-A53 + 2x Cortex-A72");
    expect(&env, "core_kinds", "0-3=485 4-5=1024");
    expect(&env, "governor", "0-3=ondemand 4-5=performance");
    expect(&env, "cpu_max_khz", "0-3=1416000 4-5=1800000");
    expect(&env, "cpu_now_low_khz", "408000");
    expect(&env, "cpu_now_high_khz", "1800000");
    assert_false(env_get(&env, "cpu_max_khz")->number);
    env_release(&env);
    EXPECT_NOTES(*state, 6, 1, "core_kinds: ", "--cpu-list=big", "0-3=485 4-5=1024");
}

/* --- sensors ----------------------------------------------------------------------- */

static void test_sensors(void **state)
{
    double celsius = 0;
    char zone[SOURCE_NAME];
    struct buf out = {0};
    assert_false(sensors_temperature(*state, &celsius, zone, sizeof zone));
    assert_false(sensors_throttling(*state, &out));
    tree_put(*state, THERMAL "thermal_zone0/type", "gpu-thermal\n");
    tree_put(*state, THERMAL "thermal_zone0/temp", "41000\n");
    tree_put(*state, THERMAL "thermal_zone2/type", "soc-thermal\n");
    tree_put(*state, THERMAL "thermal_zone2/temp", "62500\n");
    tree_put(*state, THERMAL "thermal_zone10/type", "iwlwifi\n");
    tree_put(*state, THERMAL "thermal_zone10/temp", "-274000\n");
    assert_true(sensors_temperature(*state, &celsius, zone, sizeof zone));
    assert_between(celsius, 62.49, 62.51);
    assert_string_equal(zone, "soc-thermal");
    tree_put(*state, THERMAL "cooling_device0/type", "pwm-fan\n");
    tree_put(*state, THERMAL "cooling_device0/cur_state", "3\n");
    assert_false(sensors_throttling(*state, &out));
    tree_put(*state, THERMAL "cooling_device1/type", "cpufreq-cpu0\n");
    tree_put(*state, THERMAL "cooling_device1/cur_state", "0\n");
    assert_true(sensors_throttling(*state, &out));
    assert_int_equal(out.size, 0);
    tree_put(*state, THERMAL "cooling_device1/cur_state", "2\n");
    assert_true(sensors_throttling(*state, &out));
    assert_string_equal(buf_text(&out), "cpufreq-cpu0");
    buf_release(&out);
}

/* --- control groups ---------------------------------------------------------------- */

static void expect_limits(const char *root, double cpus, uint64_t memory)
{
    struct cgroup_limits l;
    cgroup_read(&l, root);
    assert_true(l.has_cpu);
    assert_true(l.has_memory);
    assert_between(l.cpus, cpus - 1e-9, cpus + 1e-9);
    assert_true(l.memory == memory);
}

static void test_cgroup_v2(void **state)
{
    tree_put_cpus(*state, "0-3\n", "0-3");
    tree_put(*state, "/proc/self/cgroup", "0::/system.slice/docker-1.scope\n");
    tree_put(*state, "/sys/fs/cgroup/system.slice/docker-1.scope/cpu.max", "max 100000\n");
    tree_put(*state, "/sys/fs/cgroup/system.slice/docker-1.scope/memory.max", "max\n");
    expect_limits(*state, 0, 0);
    EXPECT_NO_NOTES(*state, 4);
    tree_put(*state, "/sys/fs/cgroup/system.slice/docker-1.scope/cpu.max", "300000 100000\n");
    tree_put(*state, "/sys/fs/cgroup/system.slice/memory.max", "268435456\n");
    expect_limits(*state, 3, 268435456);
    tree_put(*state, "/sys/fs/cgroup/system.slice/cpu.max", "25000 50000\n"); /* above: tighter */
    expect_limits(*state, 0.5, 268435456);
    struct env env = collect(*state, 0);
    expect(&env, "cpu_quota", "0.5");
    expect_source(&env, "cpu_quota", "/sys/fs/cgroup/system.slice/cpu.max");
    expect(&env, "memory_limit_bytes", "268435456");
    env_release(&env);
    EXPECT_NOTES(*state, 2, 1, "cpu_quota: ", "cgroup CPU quota: 0.5 CPUs of the 2");
}

/* A quota for more than the threads can use changes nothing. */
static void test_quota_and_threads(void **state)
{
    tree_put_cpus(*state, "0-3\n", "0-3");
    tree_put(*state, "/proc/self/cgroup", "0::/\n");
    tree_put(*state, "/sys/fs/cgroup/cpu.max", "150000 100000\n");
    EXPECT_NO_NOTES(*state, 1);
    EXPECT_NOTES(*state, 2, 1, "1.5 CPUs of the 2");
    EXPECT_NOTES(*state, 64, 1, "1.5 CPUs of the 4");
    EXPECT_NOTES(*state, 0, 1, "1.5 CPUs of the 4");
}

static void test_cgroup_v1(void **state)
{
    tree_put(*state, "/proc/self/cgroup",
             "9:name=systemd:/x\n4:memory:/box/a\n3:cpuset:/box\n2:cpu,cpuacct:/box/a\n0::/\n");
    tree_put(*state, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    tree_put(*state, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    tree_put(*state, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect_limits(*state, 0, 0);
    tree_put(*state, "/sys/fs/cgroup/cpu,cpuacct/box/a/cpu.cfs_quota_us", "20000\n");
    tree_put(*state, "/sys/fs/cgroup/cpu,cpuacct/box/a/cpu.cfs_period_us", "10000\n");
    tree_put(*state, "/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1073741824\n");
    expect_limits(*state, 2, 1073741824);
}

/* In a container the path is the host's and the mount point is the own group. */
static void test_cgroup_in_a_container(void **state)
{
    tree_put(*state, "/proc/self/cgroup", "2:cpu:/docker/0123\n1:memory:/docker/0123\n");
    tree_put(*state, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "75000\n");
    tree_put(*state, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    tree_put(*state, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
    expect_limits(*state, 0.75, 1048576);
    tree_put(*state, "/proc/self/cgroup", "0::/../../other\n");
    tree_put(*state, "/sys/fs/cgroup/cpu.max", "10000 100000\n");
    tree_put(*state, "/sys/fs/cgroup/memory.max", "4096\n");
    expect_limits(*state, 0.1, 4096);
}

/* --- notes ------------------------------------------------------------------------- */

static void test_notes_of_a_poor_pi(void **state)
{
    put_pi(*state);
    tree_put_cpus(*state, "0-3\n", "1");
    put_policy(*state, 0, "0 1 2 3\n", "powersave\n", "600000\n", "600000\n", "1500000\n");
    tree_put(*state, HWMON "hwmon1/in0_lcrit_alarm", "1\n");
    tree_put(*state, THERMAL "thermal_zone0/temp", "84000\n");
    EXPECT_NOTES(*state, 4, 5, "cpus_allowed: CPU set: this process may use CPU 1 of 0-3 only",
                 "more threads than that", "governor: CPU governor: powersave",
                 "capped at 600000 kHz of 1500000", "undervoltage: under-voltage was seen",
                 "temperature_c: temperature: 84.0 C");
    tree_put(*state, THERMAL "cooling_device0/type", "thermal-cpufreq-0\n");
    tree_put(*state, THERMAL "cooling_device0/cur_state", "4\n");
    EXPECT_NOTES(*state, 1, 5, "throttling: thermal throttling", "thermal-cpufreq-0");
}

/* The same word means another thing with these drivers. */
static void test_powersave_of_intel(void **state)
{
    put_pi(*state);
    put_policy(*state, 0, "0-3\n", "powersave\n", "900000\n", "1500000\n", "1500000\n");
    EXPECT_NOTES(*state, 1, 1, "governor: ");
    tree_put(*state, CPU "cpufreq/policy0/scaling_driver", "intel_pstate\n");
    EXPECT_NO_NOTES(*state, 1);
}

/* --- this machine ------------------------------------------------------------------- */

static void test_this_machine(void **state)
{
    struct env env;
    struct err e = {0};
    (void)state;
    assert_int_equal(env_collect(&env, &e), 0);
    assert_int_equal(env_number(&env, "word_bits", 0), 8 * sizeof(size_t));
    assert_int_equal(env_number(&env, "elf_bits", 0), 8 * sizeof(void *));
    assert_int_equal(env_number(&env, "off_t_bits", 0), 8 * sizeof(off_t));
    assert_int_equal(env_number(&env, "page_size_bytes", 0), sysconf(_SC_PAGESIZE));
    assert_true(env_number(&env, "kernel_bits", 0) >= env_number(&env, "elf_bits", 0));
    assert_true(strncmp(env_value(&env, "compiler"), "gcc ", 4) == 0 ||
                strncmp(env_value(&env, "compiler"), "clang ", 6) == 0);
    assert_non_null(env_value(&env, "cpus_allowed"));
    assert_non_null(env_value(&env, "kernel"));
    assert_null(env_get(&env, "cpu_measured_khz")); /* slow */
    assert_true(env_number(&env, "mem_total_bytes", 0) > 1e6);
    env_release(&env);
}

/* Part of every result, so it must not delay one. A loaded machine may, but not
 * each time; with room for sanitizers. */
static void test_is_quick(void **state)
{
    uint64_t best = UINT64_MAX;
    (void)state;
    for (int i = 0; i < 1000 && best > 10 * NS_PER_MS; i++) {
        struct env env;
        uint64_t began = clock_system_ns();
        assert_int_equal(env_collect(&env, NULL), 0);
        uint64_t ns = clock_system_ns() - began;
        best = ns < best ? ns : best;
        env_release(&env);
    }
    assert_between((double)best / 1e6, 0, 10);
}

static void test_caches(void **state)
{
    int level = 0;
    uint64_t last = env_cache_last(&level);
    assert_true(env_cache_size(9) == 0);
    assert_true(last == env_cache_size(level));
    assert_true(processor_cache(*state, 1) == 0);
    put_cache(*state, 0, "1\n", "Instruction\n", "16K\n");
    assert_true(processor_cache(*state, 1) == 0);
    put_cache(*state, 1, "3\n", "Unified\n", "8M\n");
    assert_true(processor_cache(*state, 3) == 8 << 20);
    put_cache(*state, 2, "1\n", "Data\n", "what\n");
    assert_true(processor_cache(*state, 1) == 0);
}

/* --- the list and its writers --------------------------------------------------------- */

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < fact_row_count; i++) {
        const struct fact_row *row = &fact_rows[i];
        assert_ptr_equal(fact_row_find(row->key), row); /* no key stands twice */
        assert_true(row->key[strspn(row->key, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0');
        assert_non_null(row->from);
        assert_true(row->class <= FACT_INFORMATIONAL);
    }
    assert_int_equal(env_class("governor"), FACT_MUST_MATCH);
    assert_int_equal(env_class("board"), FACT_FACTOR);
    assert_int_equal(env_class("no such key"), FACT_INFORMATIONAL);
}

static void test_put(void **state)
{
    struct err e = {0};
    struct env env = collect(*state, 0);
    size_t count = env.count;
    assert_int_equal(env_put(&env, "luajit", "LuaJIT 2.1", "script", &e), 0);
    assert_int_equal(env.count, count);
    expect(&env, "luajit", "LuaJIT 2.1");
    assert_int_equal(env_put(&env, "card", "SD32G", "/sys/block/mmcblk0/device/name", &e), 0);
    assert_int_equal(env_put(&env, "card_clock_hz", "50000000", "ios", &e), 0);
    assert_int_equal(env_put(&env, "governor", "1", "test", &e), 0);
    assert_int_equal(env.count, count + 2);
    expect(&env, "card", "SD32G");
    assert_true(env_get(&env, "card_clock_hz")->number);
    assert_false(env_get(&env, "governor")->number); /* its row says it is a text */
    assert_int_equal(env_put(&env, "card", NULL, "gone", &e), 0);
    expect(&env, "card", NULL);
    assert_null(env_get(&env, "nothing"));
    assert_null(env_value(&env, "nothing"));
    env_release(&env);
}

static json_t *parsed(const struct buf *text)
{
    json_error_t why;
    json_t *doc = json_loads(buf_text(text), JSON_REJECT_DUPLICATES, &why);
    if (!doc)
        fail_msg("no JSON: %s in %s", why.text, buf_text(text));
    return doc;
}

static json_t *fact_of(json_t *doc, const char *key, const char *member)
{
    return json_object_get(json_object_get(json_object_get(doc, "env"), key), member);
}

static void test_json(void **state)
{
    struct buf out = {0};
    struct json j;
    put_pi(*state);
    struct env env = collect(*state, 0);
    json_init(&j, &out);
    json_open(&j, NULL, '{');
    env_json(&env, &j);
    env_json_state(&env, "env_after", &j);
    json_close(&j, '}');
    json_t *doc = parsed(&out);
    assert_true(json_integer_value(fact_of(doc, "mem_total_bytes", "value")) == 3977601024);
    assert_string_equal(json_string_value(fact_of(doc, "board", "value")),
                        "Raspberry Pi 4 Model B Rev 1.4");
    assert_string_equal(json_string_value(fact_of(doc, "board", "source")),
                        "/proc/device-tree/model");
    assert_string_equal(json_string_value(fact_of(doc, "board", "status")), "ok");
    assert_true(json_is_null(fact_of(doc, "cache_l3_bytes", "value")));
    assert_string_equal(json_string_value(fact_of(doc, "cache_l3_bytes", "status")), "missing");
    json_t *after = json_object_get(doc, "env_after");
    assert_between(json_number_value(json_object_get(after, "temperature_c")), 48.29, 48.31);
    assert_null(json_object_get(after, "board"));
    json_decref(doc);
    buf_release(&out);
    env_release(&env);
}

static void test_text_and_csv(void **state)
{
    struct buf text = {0}, csv = {0};
    struct err e = {0};
    struct env env = {0};
    (void)state;
    assert_int_equal(env_put(&env, "board", "a \"b\", c", "/x", &e), 0);
    assert_int_equal(env_put(&env, "cpu_model", NULL, "/y", &e), 0);
    env_text(&env, &text);
    assert_string_equal(buf_text(&text),
                        "board      a \"b\", c                                  [/x]\n"
                        "cpu_model  not available                             [/y]\n");
    env_csv(&env, &csv);
    assert_string_equal(buf_text(&csv), "key,value,source,status,class\n"
                                        "\"board\",\"a \"\"b\"\", c\",\"/x\",ok,factor\n"
                                        "\"cpu_model\",\"\",\"/y\",missing,factor\n");
    buf_release(&text);
    buf_release(&csv);
    env_release(&env);
}

/* --- differences and the command --------------------------------------------------------- */

static const char doc_a[] = "{\"env\": {\"kernel\": {\"value\": \"6.1\"}, "
                            "\"load1\": {\"value\": 0.5}, \"governor\": {\"value\": \"ondemand\"}, "
                            "\"word_bits\": {\"value\": 64}, \"smt\": {\"value\": null}}}";
static const char doc_b[] =
    "{\"env\": {\"kernel\": {\"value\": \"6.1\"}, "
    "\"load1\": {\"value\": 0.7}, \"governor\": {\"value\": \"powersave\"}, "
    "\"word_bits\": {\"value\": 32}, \"card\": {\"value\": \"SD\"}}}";

/* Runs the command with words separated by blanks; A and B stand for files. */
static int command(const char *root, enum output_format format, const char *words, struct buf *out,
                   struct err *e)
{
    char copy[256], paths[4][512], *rest = copy, *word;
    const char *list[4];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", words);
    while (n < 4 && (word = strsep(&rest, " ")) && *word) {
        bool file = strlen(word) == 1;
        snprintf(paths[n], sizeof paths[n], "%s%s%s", file ? root : "", file ? "/" : "", word);
        list[n] = paths[n];
        n++;
    }
    struct env_command c = {.format = format, .word = list, .words = n};
    *e = (struct err){0};
    return env_command(&c, out, e);
}

static void test_diff(void **state)
{
    struct buf out = {0};
    struct err e;
    tree_put(*state, "/A", doc_a);
    tree_put(*state, "/B", doc_b);
    assert_int_equal(command(*state, FORMAT_JSON, "diff A B", &out, &e), 0);
    json_t *doc = parsed(&out);
    json_t *list = json_object_get(doc, "differences");
    static const char *const keys[] = {"word_bits", "governor", "load1", "card"};
    static const char *const classes[] = {"factor", "must match", "informational", "informational"};
    assert_int_equal(json_array_size(list), 4);
    for (size_t i = 0; i < 4; i++) {
        json_t *one = json_array_get(list, i);
        assert_string_equal(json_string_value(json_object_get(one, "key")), keys[i]);
        assert_string_equal(json_string_value(json_object_get(one, "class")), classes[i]);
    }
    assert_int_equal(json_integer_value(json_object_get(doc, "same")), 1);
    assert_true(json_is_false(json_object_get(doc, "comparable")));
    json_decref(doc);
    buf_clear(&out);
    assert_int_equal(command(*state, FORMAT_TEXT, "diff A B", &out, &e), 0);
    assert_non_null(strstr(buf_text(&out), "not comparable"));
    assert_non_null(strstr(buf_text(&out), "B: powersave"));
    buf_clear(&out);
    assert_int_equal(command(*state, FORMAT_CSV, "diff A B", &out, &e), 0);
    assert_non_null(strstr(buf_text(&out), "\"word_bits\",factor,\"64\",\"32\"\n"));
    buf_release(&out);
}

static void test_diff_of_equals(void **state)
{
    struct buf out = {0};
    struct err e;
    tree_put(*state, "/A", doc_a);
    assert_int_equal(command(*state, FORMAT_TEXT, "diff A A", &out, &e), 0);
    assert_non_null(strstr(buf_text(&out), "4 facts are alike, 0 differ"));
    assert_non_null(strstr(buf_text(&out), "Nothing that should matter differs."));
    buf_release(&out);
}

static void test_bad_files(void **state)
{
    struct buf out = {0};
    struct err e;
    tree_put(*state, "/A", doc_a);
    tree_put(*state, "/B", "{\"env\": ");
    tree_put(*state, "/C", "{\"environment\": {}}");
    assert_int_equal(command(*state, FORMAT_TEXT, "diff A B", &out, &e), -1);
    assert_err(&e, ERR_FAILED, "/B", "--output-format=json");
    assert_int_equal(command(*state, FORMAT_TEXT, "diff C A", &out, &e), -1);
    assert_err(&e, ERR_FAILED, "/C", "\"env\"", "--output-format=json");
    assert_int_equal(command(*state, FORMAT_TEXT, "diff A D", &out, &e), -1);
    assert_err(&e, ERR_FAILED, "/D", "No such file");
    assert_int_equal(command(*state, FORMAT_TEXT, "diff A", &out, &e), -1);
    assert_err(&e, ERR_FAILED, "two files", "env diff A.json B.json");
    assert_int_equal(command(*state, FORMAT_TEXT, "dif A B", &out, &e), -1);
    assert_err(&e, ERR_FAILED, "'dif'", "env diff");
    assert_int_equal(out.size, 0);
    buf_release(&out);
}

static void test_command_shows(void **state)
{
    struct buf out = {0};
    struct err e = {0};
    struct env known = {0};
    (void)state;
    assert_int_equal(env_put(&known, "luajit", "LuaJIT 2.1", "script", &e), 0);
    struct env_command c = {.format = FORMAT_JSON, .known = &known};
    assert_int_equal(env_command(&c, &out, &e), 0);
    json_t *doc = parsed(&out);
    assert_string_equal(json_string_value(json_object_get(doc, "schema")), "sbench-env/1");
    assert_string_equal(json_string_value(fact_of(doc, "luajit", "value")), "LuaJIT 2.1");
    assert_non_null(fact_of(doc, "cpu_measured_khz", "value"));
    json_decref(doc);
    buf_release(&out);
    env_release(&known);
}

#define WITH_TREE(f) cmocka_unit_test_setup_teardown(f, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_TREE(test_raspberry_pi),
        WITH_TREE(test_memory_and_kernel),
        WITH_TREE(test_redaction),
        WITH_TREE(test_empty_tree),
        WITH_TREE(test_permission),
        WITH_TREE(test_pc),
        WITH_TREE(test_unnamed_product),
        WITH_TREE(test_processor_names),
        WITH_TREE(test_big_little),
        WITH_TREE(test_sensors),
        WITH_TREE(test_cgroup_v2),
        WITH_TREE(test_quota_and_threads),
        WITH_TREE(test_cgroup_v1),
        WITH_TREE(test_cgroup_in_a_container),
        WITH_TREE(test_notes_of_a_poor_pi),
        WITH_TREE(test_powersave_of_intel),
        cmocka_unit_test(test_this_machine),
        cmocka_unit_test(test_is_quick),
        WITH_TREE(test_caches),
        cmocka_unit_test(test_table),
        WITH_TREE(test_put),
        WITH_TREE(test_json),
        cmocka_unit_test(test_text_and_csv),
        WITH_TREE(test_diff),
        WITH_TREE(test_diff_of_equals),
        WITH_TREE(test_bad_files),
        cmocka_unit_test(test_command_shows),
    };
    return cmocka_run_group_tests_name("env", tests, NULL, NULL);
}
