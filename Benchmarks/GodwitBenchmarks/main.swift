//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

let arguments = CommandLine.arguments.dropFirst()
let number = arguments.dropFirst().first.flatMap { Int($0) }
switch arguments.first {
case "json": JSONBenchmarks.run(files: Array(arguments.dropFirst()))
case "store": try await StoreBenchmarks(count: number ?? 200_000).run()
case "singles": try await LoadBenchmarks.singles(count: number ?? 32_000)
case "attachment": try await LoadBenchmarks.attachment(megabytes: number ?? 1_024)
case "updates": try await LoadBenchmarks.updates(count: number ?? 1_200)
case "churn": try await LoadBenchmarks.churn()
case "reads": try await LoadBenchmarks.reads(count: number ?? 100_000)
case "many": try await LoadBenchmarks.many(count: number ?? 1_000_000)
case "databases": try await LoadBenchmarks.databases(count: number ?? 10_000)
case "queries": try await QueryBenchmarks(count: number ?? 100_000).run()
case "equality": try await EqualityBenchmarks(count: number ?? 100_000).run()
case "encryption": try await EncryptionBenchmarks(count: number ?? 100_000).run()
case "geo": try GeoBenchmarks().run()
case "places": try await PlacesBenchmarks(count: number ?? 1_000_000).run()
case "accounts": try await AccountsBenchmarks(count: number ?? 100_000).run()
case "places-stored": try await PlacesBenchmarks(count: number ?? 1_000_000).runStored()
case "constant": try await ConstantServer.run(port: number ?? 5985)
case "catalogue": try await LoadBenchmarks.catalogue(count: number ?? 100_000)
default:
    print(
        """
        usage: GodwitBenchmarks json FILE… | store | queries | equality | singles | attachment | updates | churn | reads | many | databases | catalogue \
        | encryption | geo | places | places-stored | accounts | constant
        """)
    exit(2)
}
