//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ConversationCore
import GodwitDatabase
import GodwitHost

/// The `conversation ask` command: answers questions on the terminal.
struct AskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask", abstract: "Answer a question, or each line of the standard input.")

    @Argument(help: "The question; without it, each line of the standard input is one.")
    var question: String?

    @OptionGroup var corpus: CorpusOptions

    @OptionGroup var parameters: ParameterOptions

    @Option(help: "The maximum number of answers.")
    var limit = 5

    @Flag(help: "Print a JSON object for each question, with the features of each answer.")
    var json = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        let learned = try parameters.learned()
        let (manager, datastore) = try await corpus.existing()
        let engine = try AnswerEngine(try await AnswerCorpus(datastore), parameters: learned)
        if let question {
            try await answer(question, engine)
        } else {
            while let line = readLine() { try await answer(line, engine) }
        }
        await manager.close()
    }

    private func answer(_ question: String, _ engine: AnswerEngine) async throws {
        let clock = ContinuousClock()
        let begun = clock.now
        let (answers, explanation) = try await engine.explainedAnswers(to: question, limit: limit)
        let milliseconds = (clock.now - begun) / .milliseconds(1)
        if json {
            let rows = answers.map { answer -> JSONValue in
                [
                    "id": .string(answer.pair.id), "question": .string(answer.pair.question),
                    "text": .string(answer.passage), "focus": .string(answer.pair.focus),
                    "kind": .string(answer.pair.kind), "confidence": .double(answer.confidence),
                    "features": .object(
                        answer.features.reduce(into: JSONObject()) { $0[$1.name] = .double($1.value) }),
                ]
            }
            let line: JSONValue = [
                "question": .string(question), "milliseconds": .double(milliseconds), "answers": .array(rows),
            ]
            return CommandText.printLine(line.jsonText())
        }
        guard !answers.isEmpty else {
            CommandText.printLine("No answers for that question, try with another question.")
            let topics = explanation.nearestTopics
            if !topics.isEmpty { CommandText.printLine("The nearest topics: \(topics.joined(separator: "; "))") }
            return
        }
        for answer in answers {
            let percent = Int((answer.confidence * 100).rounded())
            CommandText.printLine("\(answer.pair.question) Confidence: \(percent)%\n\(answer.passage)")
            let source = [answer.pair.source, answer.pair.url].filter { !$0.isEmpty }.joined(separator: ", ")
            CommandText.printLine(source.isEmpty ? "" : "\(source)\n")
        }
    }
}
