//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CConversationAssets.h"

#include <string.h>

static const unsigned char icon_svg[] = {
#embed "../Page/shared/icon.svg"
};
static const unsigned char microphone_js[] = {
#embed "../Page/shared/microphone.js"
};
static const unsigned char recorder_worklet_js[] = {
#embed "../Page/shared/recorder-worklet.js"
};
static const unsigned char speaker_js[] = {
#embed "../Page/shared/speaker.js"
};
static const unsigned char web_app_js[] = {
#embed "../Page/web/app.js"
};
static const unsigned char web_conversation_css[] = {
#embed "../Page/web/conversation.css"
};
static const unsigned char web_listener_js[] = {
#embed "../Page/web/listener.js"
};
static const unsigned char web_texts_js[] = {
#embed "../Page/web/texts.js"
};
static const unsigned char corpus[] = {
#embed "../Data/questions-small.jsonl.gz"
};

static const struct {
    const char *name;
    const unsigned char *start;
    size_t size;
} assets[] = {
    {"app.js", web_app_js, sizeof web_app_js},
    {"conversation.css", web_conversation_css, sizeof web_conversation_css},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"listener.js", web_listener_js, sizeof web_listener_js},
    {"microphone.js", microphone_js, sizeof microphone_js},
    {"recorder-worklet.js", recorder_worklet_js, sizeof recorder_worklet_js},
    {"speaker.js", speaker_js, sizeof speaker_js},
    {"texts.js", web_texts_js, sizeof web_texts_js},
};

const unsigned char *conversation_asset(const char *name, size_t *size) {
    for (size_t index = 0; index < sizeof assets / sizeof assets[0]; index++) {
        if (strcmp(assets[index].name, name) == 0) {
            *size = assets[index].size;
            return assets[index].start;
        }
    }
    return NULL;
}

const unsigned char *conversation_corpus(size_t *size) {
    *size = sizeof corpus;
    return corpus;
}
