//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The calls of the migration guide of 2015: the calls of IMFData before the migration, and the calls of CDTDatastore
// after it. They are written in Swift 6 with the original names and labels. See docs/coming-from/cloudant-sync-ios.md
// and docs/coming-from/imfdata.md.
//
//     CloudantSteps DIRECTORY http://NAME:PASSWORD@HOST:PORT

import Foundation
import GodwitCloudantCompat

@available(*, deprecated)
@main
struct CloudantSteps {
    static func main() async {
        guard CommandLine.arguments.count == 3 else {
            print("usage: CloudantSteps DIRECTORY http://NAME:PASSWORD@HOST:PORT")
            exit(2)
        }
        do {
            let steps = try GuideSteps(directory: CommandLine.arguments[1], server: CommandLine.arguments[2])
            try await steps.before()
            try await steps.after()
            try await InterceptorSteps(guide: steps).run()
            print("All steps of the guide ran.")
        } catch {
            print("A step failed: \(error)")
            exit(1)
        }
    }
}
