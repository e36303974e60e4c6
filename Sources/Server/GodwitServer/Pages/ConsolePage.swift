//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A page that a module shows in the web console.
public struct ConsolePage: Sendable {
    /// The page's name in the URL. It must consist of lowercase letters, digits and `-`. The server does not check
    /// this.
    public let id: String
    /// The title in the menu.
    public let title: String
    /// The path of the page's ES module. Its function `show` creates the page.
    public let script: String
    /// Whether only administrators of the server see the page.
    public let isForAdministrators: Bool

    /// Creates the description of a page.
    public init(id: String, title: String, script: String, isForAdministrators: Bool = true) {
        self.id = id
        self.title = title
        self.script = script
        self.isForAdministrators = isForAdministrators
    }
}
