//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitAnswers
import GodwitServer

/// The questions that the page suggests, and whose spoken forms are the samples: those of the embedded corpus, or short ones
/// of another corpus.
struct ExampleQuestions: Sendable {
    let state: CorpusState
    let isEmbedded: Bool

    private static let embedded = [
        "What is multiple sclerosis?", "What causes kidney stones?", "Who is at risk for glaucoma?",
        "What causes narcolepsy?", "Is there a cure for gestational diabetes?",
    ]
    private static let lengthMax = 80
    /// The number of questions of a corpus of which some are chosen.
    private static let readMax = 50

    func all() async throws -> [String] {
        guard !isEmbedded else { return Self.embedded }
        let questions = try await AnswerCorpus(state.datastore()).first(Self.readMax).map(\.question)
        return Array(questions.filter { $0.count <= Self.lengthMax }.prefix(Self.embedded.count))
    }

    /// The question of a sample, such as `sample1.wav`; `nil` if there is none.
    func question(ofSample name: String) async throws -> String? {
        try await all().enumerated().first { name == "sample\($0.offset + 1).wav" }?.element
    }
}
