//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CAnswerData
public import GodwitJSON

/// The learned parameters of the ranking.
public struct AnswerParameters: Sendable {
    /// The weights of the features.
    let weights: [Double]
    let kinds: KindModel
    /// The slope and the offset with which the confidence of an answer is computed: the logistic function of `slope *
    /// score + offset`.
    let confidence: (slope: Double, offset: Double)
    /// The confidence below which there is no answer.
    let confidenceMin: Double

    /// The parameters that were learned from questions about health, see `docs/answers.md`. They suit corpora whose
    /// questions have the same kinds.
    public static let health: AnswerParameters = {
        var size = 0
        let bytes = answer_parameters_health(&size).map { Array(UnsafeBufferPointer(start: $0, count: size)) } ?? []
        guard let value = try? JSONValue(parsing: bytes), let parameters = AnswerParameters(value) else {
            preconditionFailure("The embedded parameters are damaged.")
        }
        return parameters
    }()

    /// Reads the parameters that `Conversation/Training/answers.py` writes. `nil` if `weights`, `confidence` or `confidenceMin` is
    /// absent or has the wrong number of values.
    public init?(_ object: JSONValue) {
        let numbers = { (member: String) in (object[member]?.arrayValue ?? []).compactMap(\.doubleValue) }
        let (weights, confidence) = (numbers("weights"), numbers("confidence"))
        guard weights.count == AnswerFeatures.names.count, confidence.count == 2,
            let confidenceMin = object["confidenceMin"]?.doubleValue
        else { return nil }
        (self.weights, self.confidenceMin) = (weights, confidenceMin)
        self.confidence = (confidence[0], confidence[1])
        kinds = KindModel(object)
    }
}
