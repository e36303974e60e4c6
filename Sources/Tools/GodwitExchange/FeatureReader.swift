//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// Reads the GeoJSON features (RFC 7946) of a file one by one. The file may contain a feature collection, an array of
/// features, a single feature, or a single geometry. It may also contain several texts: a sequence (RFC 8142), or one
/// text on each line. Features are read one by one, so memory never contains a complete collection or array.
package struct FeatureReader: RecordReader {
    /// The separator between the texts of a file with several texts.
    private enum Separator {
        case line
        /// The control character that precedes each text of a sequence (RFC 8142).
        case record
    }

    private enum NestingLevel {
        case outside
        /// In the object that contains the array of features: before this array, or after it.
        case object(isPastFeatures: Bool)
        /// In the array of features. The array may be a member of an object, or the complete text.
        case array(isInObject: Bool)
    }

    private var window: FileWindow
    private let featuresMember: String
    private let idProperty: String?
    private var nestingLevel = NestingLevel.outside
    private var separator: Separator?
    private var number = 0
    /// The text of the object's members that were read so far and precede the array of features.
    private var members: [UInt8] = []
    private var line = 1

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - window: The file.
    ///   - featuresMember: The member of an object that contains the features.
    ///   - idProperty: The name of the property that contains the id; `nil` to use the id of the feature.
    ///   - hasLines: Whether each line is a separate text. If it is `false`, the reader still treats each line as a
    ///     text if the first line is a complete object without an array of features.
    package init(
        _ window: FileWindow, featuresMember: String = "features", idProperty: String? = nil, hasLines: Bool = false
    ) {
        self.window = window
        separator = hasLines ? .line : nil
        self.featuresMember = featuresMember
        self.idProperty = idProperty
    }

    package var usedCount: Int { window.usedCount }

    package mutating func next() throws(ExchangeError) -> FileRecord? {
        while true {
            try window.passBlanks()
            guard try window.has(1) else {
                guard case .outside = nestingLevel else { throw malformed("the file ends in the middle") }
                return nil
            }
            switch nestingLevel {
            case .outside:
                if separator != nil, let record = try readText() { return record }
                if separator == nil { try readStart() }
            case .object(let isPastFeatures):
                if let record = try readMember(isPastFeatures: isPastFeatures) { return record }
            case .array(let isInObject):
                if let record = try readElement(isInObject: isInObject) { return record }
            }
        }
    }

    private func malformed(_ detail: String) -> ExchangeError {
        ExchangeError(line: window.line, "\(detail). The file is not GeoJSON, or is truncated.")
    }

    /// Reads the start of an object, of an array or of a sequence of texts.
    private mutating func readStart() throws(ExchangeError) {
        line = window.line
        switch window[0] {
        case FeatureReader.recordSeparator: separator = .record
        case UInt8(ascii: "{"):
            window.use(1)
            members = []
            nestingLevel = .object(isPastFeatures: false)
        case UInt8(ascii: "["):
            window.use(1)
            nestingLevel = .array(isInObject: false)
        default: throw malformed("expected a feature")
        }
    }

    private static let recordSeparator: UInt8 = 0x1E

    /// Reads one text of a file with several texts. Invalid JSON in a text does not affect the other texts.
    private mutating func readText() throws(ExchangeError) -> FileRecord? {
        if window[0] == FeatureReader.recordSeparator {
            separator = .record
            window.use(1)
            try window.passBlanks()
        }
        let line = window.line
        let end = try separator == .record ? window.offset(of: "\u{1E}") : window.offset(of: "\n")
        let text = window.take(end ?? window.count)
        return text.isEmpty ? nil : record(text, line: line)
    }

    /// Reads a member of the object, or the object's end.
    ///
    /// - Returns: The object as a record if its end was read and it contains no array of features; otherwise `nil`.
    private mutating func readMember(isPastFeatures: Bool) throws(ExchangeError) -> FileRecord? {
        switch window[0] {
        case UInt8(ascii: ","):
            window.use(1)
            return nil
        case UInt8(ascii: "}"):
            window.use(1)
            nestingLevel = .outside
            if isPastFeatures { return nil }
            if window.line == line { separator = .line }
            return record([UInt8(ascii: "{")] + members + [UInt8(ascii: "}")], line: line)
        case UInt8(ascii: "\""): break
        default: throw malformed("expected the name of a member")
        }
        let name = window.take(try window.lengthOfJSONValue())
        try window.passBlanks()
        guard try window.take(":") else { throw malformed("expected a colon") }
        try window.passBlanks()
        guard try window.has(1) else { throw malformed("the file ends in the middle") }
        if window[0] == UInt8(ascii: "["), ExactText.areEqual(try? JSONValue(parsing: name).stringValue, featuresMember)
        {
            try checkSystem()
            window.use(1)
            nestingLevel = .array(isInObject: true)
            return nil
        }
        try appendMember(name, window.take(try window.lengthOfJSONValue()), isPastFeatures)
        return nil
    }

    private mutating func appendMember(_ name: [UInt8], _ value: [UInt8], _ isPastFeatures: Bool) throws(ExchangeError)
    {
        guard !value.isEmpty else { throw malformed("expected a value") }
        guard !isPastFeatures else { return }
        guard members.count + value.count <= ExchangeLimits.recordBytesMax else {
            throw ExchangeError(line: line, "the object is longer than \(ExchangeLimits.recordBytesMax >> 20) MB")
        }
        if !members.isEmpty { members.append(UInt8(ascii: ",")) }
        members += name
        members.append(UInt8(ascii: ":"))
        members += value
    }

    /// Throws an error when the member `crs` of a collection names a coordinate system other than WGS 84. Such a member
    /// was allowed before GeoJSON became a standard. If it follows the array of features, it is ignored, because the
    /// features have already been read.
    private func checkSystem() throws(ExchangeError) {
        let object = try? JSONValue(parsing: [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")])
        guard let name = object?["crs"]?["properties"]?["name"]?.stringValue,
            !["CRS84", ":4326", "CRS:84"].contains(where: { name.includes($0) })
        else { return }
        throw ExchangeError(
            line: window.line,
            "the coordinates are not in GeoJSON's system but in \(name). Convert the file: ogr2ogr -t_srs EPSG:4326."
        )
    }

    private mutating func readElement(isInObject: Bool) throws(ExchangeError) -> FileRecord? {
        switch window[0] {
        case UInt8(ascii: ","):
            window.use(1)
            return nil
        case UInt8(ascii: "]"):
            window.use(1)
            nestingLevel = isInObject ? .object(isPastFeatures: true) : .outside
            return nil
        default: break
        }
        let line = window.line
        let length = try window.lengthOfJSONValue()
        guard length > 0 else { throw malformed("expected a feature") }
        return record(window.take(length), line: line)
    }

    private mutating func record(_ text: [UInt8], line: Int) -> FileRecord {
        number += 1
        do throws(RecordError) {
            return FileRecord(
                number: number, line: line, content: .success(try Feature.document(text, idProperty: idProperty)))
        } catch {
            return FileRecord(number: number, line: line, content: .failure(error))
        }
    }
}
