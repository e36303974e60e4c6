//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitDatabase

#if canImport(Glibc)
    import Glibc
#endif

// The program that `Benchmarks/phone.sh` measures: an app with one database.
//
//     Start make DIRECTORY     makes a database of 100 000 documents
//     Start read DIRECTORY     reads a document and ends
//     Start live DIRECTORY     shows ten documents by a live query, and prints the memory of the process in KB

let (step, directory) = (CommandLine.arguments[1], CommandLine.arguments[2])
let manager = try DatastoreManager(directory: directory)
let trips = try await manager.datastore(named: "trips")
switch step {
case "make":
    for batch in 0..<100 {
        try await trips.write { transaction in
            for number in batch * 1_000..<(batch + 1) * 1_000 {
                let body: JSONObject = [
                    "type": "trip", "km": .integer(Int64(number)), "name": .string("Trip \(number)"),
                ]
                _ = try transaction.create(Document(id: "trip-\(number)", body: body))
            }
        }
    }
    try await trips.ensureIndex(["km"], named: "km")
case "read": print(try trips.document("trip-4711").body["km"]?.intValue ?? -1)
default:
    let query = LiveQuery(FindQuery(selector: ["km": ["$gte": 99_990]], sort: ["km"]), in: trips)
    while query.documents.count < 10 { try await Task.sleep(for: .milliseconds(1)) }
    // The first lines of this file of Linux have the peak and the present size, and the parts of it.
    guard let file = fopen("/proc/self/status", "r") else { break }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if text.hasPrefix("VmHWM") || text.hasPrefix("Rss") { print(text, terminator: "") }
    }
}
await manager.close()
