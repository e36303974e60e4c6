//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The questions that the page suggests, and whose spoken forms are the samples.
enum ExampleQuestions {
    static let all = [
        "What are the symptoms of asthma?", "How is kidney failure treated?", "Who is at risk for a stroke?",
        "What causes narcolepsy?", "Is there a cure for gestational diabetes?",
    ]
}
