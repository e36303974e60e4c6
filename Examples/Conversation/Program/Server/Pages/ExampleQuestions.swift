//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The questions that the page suggests. For the embedded corpus, the questions are fixed. For any other corpus, they
/// are short questions of that corpus. The samples, such as `sample1.wav`, are recordings in which these questions are
/// spoken.
struct ExampleQuestions: Sendable {
    let state: CorpusState

    private static let embedded = [
        "What is multiple sclerosis?", "What causes kidney stones?", "Who is at risk for glaucoma?",
        "What causes narcolepsy?", "Is there a cure for gestational diabetes?",
    ]

    var all: [String] { state.isEmbedded ? Self.embedded : state.exampleQuestions }

    /// Returns the question of a sample, such as `sample1.wav`; `nil` if there is none.
    func question(ofSample name: String) -> String? {
        all.enumerated().first { name == "sample\($0.offset + 1).wav" }?.element
    }
}
