//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitCloudantCompat

/// The class of the guide's examples.
@available(*, deprecated)
final class Automobile: CDTDataObject {
    var metadata: CDTDataObjectMetadata?
    var make = ""
    var model = ""
    var year = 0

    init() {}

    init(make: String, model: String, year: Int) { (self.make, self.model, self.year) = (make, model, year) }

    var values: [String: Any] {
        get { ["make": make, "model": model, "year": year] }
        set {
            make = newValue["make"] as? String ?? ""
            model = newValue["model"] as? String ?? ""
            year = newValue["year"] as? Int ?? 0
        }
    }
}
