#include "env/sensors.h"

#include <stdio.h>
#include <string.h>

#define THERMAL "/sys/class/thermal"
#define HWMON "/sys/class/hwmon"
#define CPUFREQ "/sys/devices/system/cpu/cpufreq"
#define DEVICES 64
#define CLOCKS 16

/* Sensors that are not there report -274 or 0 kelvin. */
static bool to_celsius(int64_t milli, double *celsius)
{
    if (milli < -40000 || milli > 200000)
        return false;
    *celsius = (double)milli / 1000;
    return true;
}

static bool read_zone(const char *root, const char *name, double *celsius, char *type, size_t room)
{
    int64_t milli;
    return source_numberf(root, &milli, THERMAL "/%s/temp", name) && to_celsius(milli, celsius) &&
           source_readf(root, type, room, THERMAL "/%s/type", name) == FACT_OK;
}

/* Where processors have no thermal zone their sensor has one of these names. */
static bool read_processor_sensor(const char *root, double *celsius, char *type, size_t room)
{
    static const char *const known[] = {"coretemp", "k10temp", "zenpower", "cpu_thermal"};
    char names[DEVICES][SOURCE_NAME];
    int64_t milli;
    size_t n = source_names(root, HWMON, "hwmon", names, DEVICES);
    for (size_t i = 0; i < n; i++) {
        if (source_readf(root, type, room, HWMON "/%s/name", names[i]) != FACT_OK)
            continue;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            if (strcmp(type, known[k]) == 0 &&
                source_numberf(root, &milli, HWMON "/%s/temp1_input", names[i]) &&
                to_celsius(milli, celsius))
                return true;
        }
    }
    return false;
}

bool sensors_temperature(const char *root, double *celsius, char *zone, size_t room)
{
    char names[DEVICES][SOURCE_NAME], type[SOURCE_NAME];
    double one;
    bool found = false;
    size_t n = source_names(root, THERMAL, "thermal_zone", names, DEVICES);
    for (size_t i = 0; i < n; i++) {
        if (!read_zone(root, names[i], &one, type, sizeof type) || (found && one <= *celsius))
            continue;
        found = true;
        *celsius = one;
        snprintf(zone, room, "%s", type);
    }
    return found || read_processor_sensor(root, celsius, zone, room);
}

void sensors_zones(const char *root, struct buf *out)
{
    char names[DEVICES][SOURCE_NAME], type[SOURCE_NAME];
    double celsius;
    const char *blank = "";
    size_t n = source_names(root, THERMAL, "thermal_zone", names, DEVICES);
    for (size_t i = 0; i < n; i++) {
        if (!read_zone(root, names[i], &celsius, type, sizeof type))
            continue;
        buf_printf(out, "%s%s=%.1f", blank, type, celsius);
        blank = " ";
    }
}

bool sensors_clock(const char *root, uint64_t *low_khz, uint64_t *high_khz)
{
    char names[CLOCKS][SOURCE_NAME];
    int64_t khz;
    bool found = false;
    size_t n = source_names(root, CPUFREQ, "policy", names, CLOCKS);
    for (size_t i = 0; i < n; i++) {
        if (!source_numberf(root, &khz, CPUFREQ "/%s/scaling_cur_freq", names[i]) || khz <= 0)
            continue;
        if (!found || (uint64_t)khz < *low_khz)
            *low_khz = (uint64_t)khz;
        if (!found || (uint64_t)khz > *high_khz)
            *high_khz = (uint64_t)khz;
        found = true;
    }
    return found;
}

/* The number behind hwmon changes from boot to boot: the name is what counts. */
bool sensors_undervoltage(const char *root, int64_t *alarm, char *source, size_t room)
{
    char names[DEVICES][SOURCE_NAME], name[SOURCE_NAME];
    size_t n = source_names(root, HWMON, "hwmon", names, DEVICES);
    for (size_t i = 0; i < n; i++) {
        if (source_readf(root, name, sizeof name, HWMON "/%s/name", names[i]) != FACT_OK ||
            strcmp(name, "rpi_volt") != 0)
            continue;
        snprintf(source, room, HWMON "/%s/in0_lcrit_alarm", names[i]);
        return source_number(root, source, alarm);
    }
    return false;
}

/* Types are "cpufreq-cpu0", "thermal-cpufreq-0", and "Processor" with ACPI. */
static bool cools_processors(const char *type)
{
    return strstr(type, "cpufreq") || strcmp(type, "Processor") == 0;
}

bool sensors_throttling(const char *root, struct buf *out)
{
    char names[DEVICES][SOURCE_NAME], type[SOURCE_NAME];
    int64_t state;
    bool any = false;
    size_t n = source_names(root, THERMAL, "cooling_device", names, DEVICES);
    for (size_t i = 0; i < n; i++) {
        if (source_readf(root, type, sizeof type, THERMAL "/%s/type", names[i]) != FACT_OK ||
            !cools_processors(type) ||
            !source_numberf(root, &state, THERMAL "/%s/cur_state", names[i]))
            continue;
        any = true;
        if (state > 0)
            buf_printf(out, "%s%s", out->size ? " " : "", type);
    }
    return any;
}
