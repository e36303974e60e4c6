//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "json": JSONBenchmarks.run(files: Array(arguments.dropFirst()))
case "store": try await StoreBenchmarks(count: arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000).run()
default:
    print("usage: GodwitBenchmarks json FILE… | store [DOCUMENTS]")
    exit(2)
}
