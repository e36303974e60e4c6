//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport

extension ServiceRequest {
    /// Returns the request to read an object or a range of it. The range must not be empty.
    static func reading(_ name: String, in container: String, _ range: Range<Int>?) -> ServiceRequest {
        var request = ServiceRequest("GET", container, name)
        // The response must not be compressed, because its length must be the length of the range.
        request.headers = [("Accept-Encoding", "identity")]
        if let range { request.headers.append(("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")) }
        return request
    }
}

extension ServiceClient {
    /// Begins to read an object.
    ///
    /// - Parameter prefix: The beginning of the names of metadata headers, in lower case.
    func read(
        _ name: String, in container: String, range: Range<Int>?, prefix: String
    ) async throws(ObjectError) -> ObjectReading {
        guard range?.lowerBound ?? 0 >= 0 else {
            throw ObjectError(.invalidRequest, "The range begins before the object.")
        }
        if let range, range.isEmpty { return try await readNothing(name, in: container, at: range.lowerBound) }
        let response = try await self.response(toObject: .reading(name, in: container, range))
        guard response.status == 206 else {
            let info = try ObjectHeaders.info(response.headers, of: name, prefix: prefix)
            guard range.map({ $0.lowerBound == 0 && $0.upperBound >= info.byteCount }) ?? true else {
                throw ObjectError(.badResponse, "The service did not send the requested range of \(name).")
            }
            return ObjectReading(info: info, range: 0..<info.byteCount, body: response.body)
        }
        guard let (sentRange, length) = response["Content-Range"].flatMap(ContentRange.parse) else {
            throw ObjectError(.badResponse, "The service did not send the range of \(name).")
        }
        let info = try ObjectHeaders.info(response.headers, of: name, prefix: prefix, byteCount: length)
        return ObjectReading(info: info, range: sentRange, body: response.body)
    }

    /// Reads an empty range. This is a separate method because a request cannot contain an empty range.
    private func readNothing(
        _ name: String, in container: String, at offset: Int
    ) async throws(ObjectError) -> ObjectReading {
        let info = try await self.info(of: name, in: container)
        guard offset < info.byteCount else {
            throw ObjectError(.rangeNotSatisfiable, "\(name) has \(info.byteCount) bytes.")
        }
        return ObjectReading(info: info, range: offset..<offset, body: OnePiece(bytes: []))
    }
}

/// The header `Content-Range`.
private enum ContentRange {
    /// Parses a value such as `bytes 0-99/1000`; `nil` for any other text.
    static func parse(_ text: String) -> (range: Range<Int>, length: Int)? {
        let numbers = text.split { !("0"..."9" ~= $0) }.compactMap { Int($0) }
        guard text.begins(with: "bytes "), numbers.count == 3, numbers[0] <= numbers[1], numbers[1] < numbers[2] else {
            return nil
        }
        return (numbers[0]..<(numbers[1] + 1), numbers[2])
    }
}
