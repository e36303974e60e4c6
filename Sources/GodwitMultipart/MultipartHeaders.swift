//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The headers of one part, in the order in which they came.
package struct MultipartHeaders: Sendable, Equatable {
    /// One header.
    package struct Field: Sendable, Equatable {
        /// The name as it was written.
        package let name: String
        /// The value without the blanks around it; a folded value is one line.
        package fileprivate(set) var value: String
    }

    /// All headers. A name may come more than once.
    package private(set) var fields: [Field] = []

    /// Creates headers without a field, to which lines are added.
    init() {}

    /// The value of the first header of this name, in whichever case either is written.
    package subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }

    /// The part's media type; `nil` when there is none that can be read.
    package var contentType: MediaType? { self["Content-Type"].flatMap { MediaType($0) } }

    /// The length that the sender announced, in bytes; `nil` when there is none. Where the part ends is decided by the
    /// delimiter alone.
    package var contentLength: Int? {
        guard let text = self["Content-Length"], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// The name that the part's `Content-Disposition` gives it.
    package var filename: String? { disposition?.filename }

    /// What `Content-Disposition` says of the part; `nil` when there is none that can be read.
    package var disposition: ContentDisposition? { self["Content-Disposition"].flatMap { ContentDisposition($0) } }
}

extension MultipartHeaders {
    /// Adds one line of a part's headers.
    ///
    /// - Parameter line: The line without its end, not empty. One that begins with a blank continues the header before.
    /// - Returns: Whether the line is a header.
    mutating func add(line: ArraySlice<UInt8>) -> Bool {
        guard !line.contains(where: \.isControl) else { return false }
        if line.first?.isBlank == true {
            guard !fields.isEmpty else { return false }
            fields[fields.count - 1].value += " " + line.trimmed.text
            return true
        }
        guard let colon = line.firstIndex(of: .colon), line[..<colon].isToken else { return false }
        fields.append(Field(name: line[..<colon].text, value: line[(colon + 1)...].trimmed.text))
        return true
    }
}
