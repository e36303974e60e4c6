//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Creates tags from the words in a caption that begin with `#`. This example of a job needs no service.
struct HashtagJob: ImageJob {
    private static let lengthMax = 50

    /// The name of the job.
    let name = "hashtags"

    /// Creates the job.
    init() {}

    /// Returns the words that follow a `#`, in lower case and without duplicates. Words of more than 50 characters are
    /// omitted. If the caption has no words with `#`, the tags of the image do not change.
    func run(_ image: PostedImage) async throws -> ImageFindings {
        var labels: [String] = []
        for word in image.caption.split(whereSeparator: \.isWhitespace) where word.hasPrefix("#") {
            let label = word.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }.lowercased()
            guard !label.isEmpty, label.count <= Self.lengthMax, !labels.contains(label) else { continue }
            labels.append(label)
        }
        guard !labels.isEmpty else { return ImageFindings() }
        return ImageFindings(tags: labels.prefix(ImageTag.countMax).map { ImageTag(label: $0, confidence: 100) })
    }
}
