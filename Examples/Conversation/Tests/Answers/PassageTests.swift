//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ConversationCore

@Suite("Passages")
struct PassageTests {
    private func text(_ answer: String, _ stems: Set<String>) -> String {
        Passage(of: answer, for: stems) { _ in 1 }.text
    }

    @Test("The paragraph with the most words of the question is shown") func best() {
        #expect(text("One.\n \nGout hurts.\nMore.", ["gout", "hurt"]) == "Gout hurts.")
        #expect(text("One.\nTwo.", ["gout"]) == "One.")
        #expect(text("", ["gout"]).isEmpty)
    }

    @Test(
        "A list follows its introduction, a text follows its title",
        arguments: ["Signs of gout include:", "What Causes Gout?", "The signs of gout are", "Signs (gout)"])
    func introductions(first: String) {
        #expect(text("\(first)\nPain\nFever.", ["gout"]) == "\(first)\nPain\nFever.")
        #expect(text(first, ["gout"]) == first)
    }

    @Test("A passage has at most 600 characters, of whole sentences if it can") func length() {
        let long = "Signs of gout include:\n" + String(repeating: "Pain in the toe. ", count: 80)
        let passage = text(long, ["gout"])
        #expect(passage.count <= 600 && passage.count > 500 && passage.hasSuffix("toe."))
        let endless = text("gout " + String(repeating: "x", count: 700), ["gout"])
        #expect(endless.count == 600 && endless.hasSuffix("…"))
        // The introduction consists of sentences, and the lines of the list have no punctuation.
        let list = text("Signs vary. They include:\n" + String(repeating: "Pain in the toe\n", count: 80), ["sign"])
        #expect(list.hasPrefix("Signs vary. They include:\nPain") && list.hasSuffix("toe") && list.count > 500)
    }
}
