#include "env/env_command.h"

#include "env/env_diff.h"

#include <string.h>

static void show_json(const struct env *env, struct buf *out)
{
    struct json j;
    json_init(&j, out);
    json_open(&j, NULL, '{');
    json_text(&j, "schema", "sbench-env/1");
    env_json(env, &j);
    json_close(&j, '}');
}

static int add_known(struct env *env, const struct env *known, struct err *e)
{
    for (size_t i = 0; known && i < known->count; i++) {
        const struct fact *f = &known->fact[i];
        if (env_put(env, f->key, f->value, f->source, e) != 0)
            return -1;
    }
    return 0;
}

static int show(const struct env_command *c, struct buf *out, struct err *e)
{
    static void (*const writers[])(const struct env *env, struct buf *out) = {
        [FORMAT_TEXT] = env_text,
        [FORMAT_JSON] = show_json,
        [FORMAT_CSV] = env_csv,
    };
    struct env env;
    if (env_collect_at(&env, "", ENV_SLOW | (c->reveal ? ENV_REVEAL : 0), e) != 0)
        return -1;
    int rc = add_known(&env, c->known, e);
    if (rc == 0)
        writers[c->format](&env, out);
    env_release(&env);
    return rc;
}

static int show_diff(const struct env_command *c, struct buf *out, struct err *e)
{
    static void (*const writers[])(const struct env_diff *d, struct buf *out) = {
        [FORMAT_TEXT] = env_diff_text,
        [FORMAT_JSON] = env_diff_json,
        [FORMAT_CSV] = env_diff_csv,
    };
    struct env_diff diff;
    if (env_diff_init(&diff, c->word[1], c->word[2], e) != 0)
        return -1;
    writers[c->format](&diff, out);
    env_diff_release(&diff);
    return 0;
}

int env_command(const struct env_command *c, struct buf *out, struct err *e)
{
    int rc;
    if (c->words == 0)
        rc = show(c, out, e);
    else if (strcmp(c->word[0], "diff") != 0)
        return err_set(e, "env: '%s' is not known; use 'env' alone or 'env diff A.json B.json'",
                       c->word[0]);
    else if (c->words != 3)
        return err_set(e, "env diff: two files are needed, %zu given; 'env diff A.json B.json'",
                       c->words - 1);
    else
        rc = show_diff(c, out, e);
    if (rc == 0 && out->failed)
        return err_set(e, "env: no memory is left for the answer");
    return rc;
}
