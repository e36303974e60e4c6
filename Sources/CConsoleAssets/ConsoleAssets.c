//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "ConsoleAssets.h"

static const unsigned char api_js[] = {
#embed "Page/api.js"
};
static const unsigned char app_js[] = {
#embed "Page/app.js"
};
static const unsigned char console_css[] = {
#embed "Page/console.css"
};
static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char pages_databases_js[] = {
#embed "Page/pages/databases.js"
};
static const unsigned char pages_overview_js[] = {
#embed "Page/pages/overview.js"
};
static const unsigned char parts_keys_js[] = {
#embed "Page/parts/keys.js"
};
static const unsigned char parts_same_js[] = {
#embed "Page/parts/same.js"
};
static const unsigned char parts_table_js[] = {
#embed "Page/parts/table.js"
};
static const unsigned char texts_js[] = {
#embed "Page/texts.js"
};
static const unsigned char view_js[] = {
#embed "Page/view.js"
};

static const struct {
    const char *path;
    const unsigned char *bytes;
    size_t size;
} files[] = {
    {"api.js", api_js, sizeof api_js},
    {"app.js", app_js, sizeof app_js},
    {"console.css", console_css, sizeof console_css},
    {"index.html", index_html, sizeof index_html},
    {"pages/databases.js", pages_databases_js, sizeof pages_databases_js},
    {"pages/overview.js", pages_overview_js, sizeof pages_overview_js},
    {"parts/keys.js", parts_keys_js, sizeof parts_keys_js},
    {"parts/same.js", parts_same_js, sizeof parts_same_js},
    {"parts/table.js", parts_table_js, sizeof parts_table_js},
    {"texts.js", texts_js, sizeof texts_js},
    {"view.js", view_js, sizeof view_js},
};

const char *console_asset(size_t index, const unsigned char **bytes, size_t *size) {
    if (index >= sizeof files / sizeof *files) return NULL;
    *bytes = files[index].bytes;
    *size = files[index].size;
    return files[index].path;
}
