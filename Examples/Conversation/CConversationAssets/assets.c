//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CConversationAssets.h"

#include <string.h>

static const unsigned char api_js[] = {
#embed "../../Device/Page/api.js"
};
static const unsigned char device_app_js[] = {
#embed "../Page/device/app.js"
};
static const unsigned char device_device_css[] = {
#embed "../Page/device/device.css"
};
static const unsigned char device_index_html[] = {
#embed "../Page/device/index.html"
};
static const unsigned char device_listener_js[] = {
#embed "../Page/device/listener.js"
};
static const unsigned char device_screens_questions_js[] = {
#embed "../Page/device/screens-questions.js"
};
static const unsigned char device_screens_settings_js[] = {
#embed "../Page/device/screens-settings.js"
};
static const unsigned char device_texts_js[] = {
#embed "../Page/device/texts.js"
};
static const unsigned char elements_js[] = {
#embed "../../Device/Page/elements.js"
};
static const unsigned char frame_css[] = {
#embed "../../Device/Page/frame.css"
};
static const unsigned char icon_svg[] = {
#embed "../Page/shared/icon.svg"
};
static const unsigned char microphone_css[] = {
#embed "../Page/shared/microphone.css"
};
static const unsigned char microphone_js[] = {
#embed "../Page/shared/microphone.js"
};
static const unsigned char parts_css[] = {
#embed "../../Device/Page/parts.css"
};
static const unsigned char recorder_worklet_js[] = {
#embed "../Page/shared/recorder-worklet.js"
};
static const unsigned char screens_start_js[] = {
#embed "../../Device/Page/screens-start.js"
};
static const unsigned char shell_js[] = {
#embed "../../Device/Page/shell.js"
};
static const unsigned char speaker_js[] = {
#embed "../Page/shared/speaker.js"
};
static const unsigned char state_js[] = {
#embed "../../Device/Page/state.js"
};
static const unsigned char texts_shared_js[] = {
#embed "../../Device/Page/texts-shared.js"
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
    {"device/api.js", api_js, sizeof api_js},
    {"device/app.js", device_app_js, sizeof device_app_js},
    {"device/device.css", device_device_css, sizeof device_device_css},
    {"device/elements.js", elements_js, sizeof elements_js},
    {"device/frame.css", frame_css, sizeof frame_css},
    {"device/icon.svg", icon_svg, sizeof icon_svg},
    {"device/index.html", device_index_html, sizeof device_index_html},
    {"device/listener.js", device_listener_js, sizeof device_listener_js},
    {"device/microphone.css", microphone_css, sizeof microphone_css},
    {"device/microphone.js", microphone_js, sizeof microphone_js},
    {"device/parts.css", parts_css, sizeof parts_css},
    {"device/recorder-worklet.js", recorder_worklet_js, sizeof recorder_worklet_js},
    {"device/screens-questions.js", device_screens_questions_js, sizeof device_screens_questions_js},
    {"device/screens-settings.js", device_screens_settings_js, sizeof device_screens_settings_js},
    {"device/screens-start.js", screens_start_js, sizeof screens_start_js},
    {"device/shell.js", shell_js, sizeof shell_js},
    {"device/speaker.js", speaker_js, sizeof speaker_js},
    {"device/state.js", state_js, sizeof state_js},
    {"device/texts-shared.js", texts_shared_js, sizeof texts_shared_js},
    {"device/texts.js", device_texts_js, sizeof device_texts_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"listener.js", web_listener_js, sizeof web_listener_js},
    {"microphone.css", microphone_css, sizeof microphone_css},
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
