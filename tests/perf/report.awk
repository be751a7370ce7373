# What scripts/bench has noted, one fact a line with tabs between, as a table (form=table), a table
# for a document (form=markdown) or JSON (form=json).
#
#   fact NAME VALUE                     machine, versions
#   row NAME UNIT GROUP SIDE METRIC PEER TARGET TITLE
#   value GROUP SIDE ROUND METRIC VALUE
#   skip GROUP SIDE REASON              a peer that is not there
#   fail GROUP SIDE REASON              what could not be measured

BEGIN { FS = "\t" }

$1 == "fact"  { fact_name[++facts] = $2; fact[$2] = $3 }
$1 == "row"   { row[++rows] = $0 }
$1 == "value" { value[$2, $3, $5, $4] = $6; if ($4 > rounds) rounds = $4 }
$1 == "skip"  { lacking[$2, $3] = "skipped: " $4 }
$1 == "fail"  { lacking[$2, $3] = "failed" ($4 ? ": " $4 : "") }

# --- numbers ---------------------------------------------------------------------------------------

# Sorts list[1..n]; leaves median, minimum and maximum in globals.
function summarize(list, n,    i, k, t) {
    for (i = 2; i <= n; i++) {
        t = list[i]
        for (k = i - 1; k >= 1 && list[k] > t; k--)
            list[k + 1] = list[k]
        list[k + 1] = t
    }
    low = list[1]
    high = list[n]
    median = n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# Of one side, or of the ratios to its peer within a round. False: there is no such figure.
function look_up(group, side, metric, peer,    r, n, v, list) {
    n = 0
    for (r = 1; r <= rounds; r++) {
        if (!((group, side, metric, r) in value))
            continue
        v = value[group, side, metric, r]
        if (peer != "") {
            if (!((group, peer, metric, r) in value) || value[group, peer, metric, r] == 0)
                continue
            v /= value[group, peer, metric, r]
        }
        list[++n] = v + 0
    }
    if (n)
        summarize(list, n)
    return n
}

function shown(x) {
    if (x == 0)
        return "0"
    if (x >= 1000 || x <= -1000)
        return sprintf("%.0f", x)
    return sprintf("%.*f", x >= 100 || x <= -100 ? 1 : x >= 1 || x <= -1 ? 2 : 3, x) \
           (x < 0.001 && x > -0.001 ? sprintf(" (%.1e)", x) : "")
}

function figure(found) {
    if (!found)
        return "-"
    if (found == 1)
        return shown(median)
    return shown(median) " (" shown(low) " to " shown(high) ")"
}

function verdict(target, ratio) {
    if (target == "-" || ratio == "")
        return ""
    if (target ~ /^>=/)
        return ratio >= substr(target, 3) + 0 ? "met" : "missed"
    if (target ~ /^<=/)
        return ratio <= substr(target, 3) + 0 ? "met" : "missed"
    return ratio >= 0.99 && ratio <= 1.01 ? "met" : "missed"
}

# --- tables ----------------------------------------------------------------------------------------

function cells(line,    f, ratio, why) {
    split(line, f, FS)
    cell[1] = f[9]
    cell[2] = f[3]
    cell[3] = figure(look_up(f[4], f[5], f[6], ""))
    cell[4] = f[7]
    if (cell[4] ~ /^sysbench-/)
        cell[4] = "sysbench"
    cell[5] = figure(look_up(f[4], f[7], f[6], ""))
    ratio = ""
    cell[6] = "-"
    if (f[3] != "%" && look_up(f[4], f[5], f[6], f[7])) {
        ratio = median
        cell[6] = figure(rounds)
    }
    cell[7] = f[8]
    gsub(/[<>]=/, "& ", cell[7])
    cell[8] = verdict(f[8], ratio)
    why = (f[4], f[5]) in lacking ? lacking[f[4], f[5]] : lacking[f[4], f[7]]
    if (why != "")
        cell[8] = why
}

# ± has two bytes and one column.
function columns(text) {
    return length(text) - gsub(/±/, "x", text) * (length("±") - 1)
}

function pad(text, width) {
    return text sprintf("%*s", width - columns(text), "")
}

function heading() {
    split("what\tunit\tsbench\tpeer\tits figure\tratio\ttarget\tresult", cell, FS)
}

function widen(    c) {
    for (c = 1; c <= 8; c++)
        if (columns(cell[c]) > width[c])
            width[c] = columns(cell[c])
}

function put_line(between, before, after,    c, line) {
    line = before
    for (c = 1; c <= 8; c++)
        line = line (c > 1 ? between : "") pad(cell[c], width[c])
    line = line after
    sub(/ +$/, "", line)
    print line
}

function put_table(between, before, after,    i, c, rule) {
    heading()
    widen()
    for (i = 1; i <= rows; i++) {
        cells(row[i])
        widen()
    }
    heading()
    put_line(between, before, after)
    for (c = 1; c <= 8; c++) {
        rule = sprintf("%*s", width[c], "")
        gsub(/ /, "-", rule)
        cell[c] = rule
    }
    put_line(between, before, after)
    for (i = 1; i <= rows; i++) {
        cells(row[i])
        put_line(between, before, after)
    }
}

function put_facts(before,    i) {
    for (i = 1; i <= facts; i++)
        if (fact[fact_name[i]] != "")
            print before fact_name[i] ": " fact[fact_name[i]]
    print ""
}

# --- JSON ------------------------------------------------------------------------------------------

function quoted(text) {
    gsub(/["\\]/, "\\\\&", text)
    return "\"" text "\""
}

function figures(found) {
    if (!found)
        return "null"
    return sprintf("{\"median\": %.9g, \"min\": %.9g, \"max\": %.9g}", median, low, high)
}

function put_row(line, last,    f, ratio, met, why) {
    split(line, f, FS)
    printf "    {\"name\": %s, \"title\": %s, \"unit\": %s, ", quoted(f[2]), quoted(f[9]), quoted(f[3])
    printf "\"sbench\": %s, ", figures(look_up(f[4], f[5], f[6], ""))
    printf "\"peer\": %s, ", quoted(f[7])
    printf "\"peer_figure\": %s, ", figures(look_up(f[4], f[7], f[6], ""))
    ratio = f[3] != "%" && look_up(f[4], f[5], f[6], f[7]) ? median : ""
    printf "\"ratio\": %s, ", ratio == "" ? "null" : figures(rounds)
    printf "\"target\": %s, ", f[8] == "-" ? "null" : quoted(f[8])
    met = verdict(f[8], ratio)
    printf "\"met\": %s", met == "" ? "null" : met == "met" ? "true" : "false"
    why = (f[4], f[5]) in lacking ? lacking[f[4], f[5]] : lacking[f[4], f[7]]
    if (why != "")
        printf ", \"missing\": %s", quoted(why)
    print "}" (last ? "" : ",")
}

function put_json(    i) {
    print "{\n  \"schema\": \"sbench-bench/1\","
    for (i = 1; i <= facts; i++)
        printf "  %s: %s,\n", quoted(fact_name[i]), quoted(fact[fact_name[i]])
    print "  \"rows\": ["
    for (i = 1; i <= rows; i++)
        put_row(row[i], i == rows)
    print "  ]\n}"
}

END {
    if (form == "json") {
        put_json()
    } else if (form == "markdown") {
        put_facts("- ")
        put_table(" | ", "| ", " |")
    } else {
        put_facts("")
        put_table("  ", "", "")
    }
}
