//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension SpeechVoice {
    /// The voices of espeak-ng. For some of the languages, Watson Text to Speech had a voice too. In this case,
    /// ``SpeechVoice/name`` is the name of Watson's voice.
    static let espeak: [SpeechVoice] = [
        SpeechVoice("en-US_MichaelVoice", "en-US", "en-us"),
        SpeechVoice("en-US_AllisonVoice", "en-US", "en-us+f3"),
        SpeechVoice("en-US_LisaVoice", "en-US", "en-us+f4"),
        SpeechVoice("en-GB_KateVoice", "en-GB", "en+f2"),
        SpeechVoice("en-GB_ScottishVoice", "en-GB", "en-gb-scotland"),
        SpeechVoice("de-DE_DieterVoice", "de-DE", "de"),
        SpeechVoice("de-DE_BirgitVoice", "de-DE", "de+f3"),
        SpeechVoice("es-ES_EnriqueVoice", "es-ES", "es"),
        SpeechVoice("es-ES_LauraVoice", "es-ES", "es+f3"),
        SpeechVoice("fr-FR_ReneeVoice", "fr-FR", "fr+f3"),
        SpeechVoice("it-IT_FrancescaVoice", "it-IT", "it+f3"),
        SpeechVoice("pt-BR_IsabelaVoice", "pt-BR", "pt-br+f3"),
    ]

    private init(_ name: String, _ language: String, _ engineName: String) {
        (self.name, self.language, self.engineName) = (name, language, engineName)
    }
}
