//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Work on an image after the image was posted. For example, a job adds the tags of a recognition service, or the
/// weather at the place of the image.
///
/// The server runs the jobs of an image one after the other, in the background, and adds their results to the image. If
/// a job fails, all jobs of the image run again after the next start of the server. A job is cancelled after 30 s. It
/// must then end, because the other jobs wait for its end.
///
/// ```swift
/// struct WeatherJob: ImageJob {
///     let name = "weather"
///     func run(_ image: PostedImage) async throws -> ImageFindings {
///         guard let place = image.place else { return ImageFindings() }
///         return ImageFindings(weather: try await forecast(at: place))
///     }
/// }
/// ```
protocol ImageJob: Sendable {
    /// The name, for the log.
    var name: String { get }

    /// Works on an image.
    ///
    /// - Parameter image: The image. A job may be run more than once with the same image.
    /// - Returns: The results, which replace earlier results of the same kind.
    /// - Throws: Any error, which is logged.
    func run(_ image: PostedImage) async throws -> ImageFindings
}

/// An image for a job.
struct PostedImage: Sendable {
    /// The id.
    let id: String
    /// The caption; empty if the image has no caption.
    let caption: String
    /// Latitude and longitude in degrees; `nil` if the place is not known.
    let place: (latitude: Double, longitude: Double)?
    /// A closure that reads the picture: an upright JPEG of at most 16 MB.
    let picture: @Sendable () async throws -> [UInt8]
}

/// The results of a job for an image.
struct ImageFindings: Sendable {
    /// The tags, of which the first ``ImageTag/countMax`` are used; `nil` to keep the present tags.
    var tags: [ImageTag]?
    /// The weather at the place: `description`, `temperature` and `iconId`; `nil` to keep the present weather. It is
    /// ignored if the image has no place.
    var weather: JSONObject?

    /// Creates findings, which are empty by default.
    init(tags: [ImageTag]? = nil, weather: JSONObject? = nil) { (self.tags, self.weather) = (tags, weather) }
}

/// A word that describes an image.
struct ImageTag: Equatable, Sendable {
    /// The maximum number of tags of an image.
    static let countMax = 30

    /// The word or the words.
    let label: String
    /// The confidence in percent.
    let confidence: Int

    /// Creates a tag.
    init(label: String, confidence: Int) { (self.label, self.confidence) = (label, confidence) }

    var json: JSONValue { ["label": .string(label), "confidence": .integer(Int64(confidence))] }
}
