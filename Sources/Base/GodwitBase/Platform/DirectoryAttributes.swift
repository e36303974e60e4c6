//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Darwin)
    import Foundation
#endif

/// The attributes of directories that only Apple's systems have.
package enum DirectoryAttributes {
    /// The classes of Data Protection.
    package enum Protection: Sendable { case complete, completeUnlessOpen, completeUntilFirstUserAuthentication, none }

    #if canImport(Darwin)
        /// Sets the class of a directory, which the files that are created in it inherit, and of what is in it.
        package static func protect(_ directory: String, _ protection: Protection) throws {
            let type: FileProtectionType =
                switch protection {
                case .complete: .complete
                case .completeUnlessOpen: .completeUnlessOpen
                case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
                case .none: .none
                }
            let files = FileManager.default
            for path in [directory] + (try files.subpathsOfDirectory(atPath: directory).map { "\(directory)/\($0)" }) {
                try files.setAttributes([.protectionKey: type], ofItemAtPath: path)
            }
        }

        /// Leaves a directory out of the backups of the device, or includes it.
        package static func exclude(_ directory: String, _ isExcluded: Bool) throws {
            var values = URLResourceValues()
            values.isExcludedFromBackup = isExcluded
            var url = URL(fileURLWithPath: directory)
            try url.setResourceValues(values)
        }
    #else
        /// Does nothing: this system has no classes.
        package static func protect(_ directory: String, _ protection: Protection) throws {}

        /// Does nothing: this system has no such backups.
        package static func exclude(_ directory: String, _ isExcluded: Bool) throws {}
    #endif
}
