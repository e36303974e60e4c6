//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The texts of the pages that depend on the corpus.
struct PageTexts: Sendable {
    /// The hint in the field for a question.
    let placeholder: String
    /// A remark at the end of each page.
    let disclaimer: String
    /// The section on the sources of the corpus as HTML; empty for none.
    let sources: String

    /// The texts for the embedded corpus.
    static let health = PageTexts(
        placeholder: "Type a question about health",
        disclaimer: """
            Conversation quotes public information about health. It is no medical advice: ask a doctor about your health, and \
            call an emergency number in an emergency.
            """,
        sources: """
            <h2>The embedded questions and answers</h2>
            <p>They are from MedQuAD by Asma Ben Abacha and Dina Demner-Fushman \
            (<a href="https://doi.org/10.1186/s12859-019-3119-4" rel="noopener noreferrer">BMC Bioinformatics 20:511, \
            2019</a>), published under <a href="https://creativecommons.org/licenses/by/4.0/" rel="noopener noreferrer">CC BY \
            4.0</a>, made from pages of the US National Institutes of Health and the Centers for Disease Control. White space \
            was tidied.</p>

            """)

    /// The texts for other corpora.
    static let general = PageTexts(
        placeholder: "Type a question", disclaimer: "Conversation quotes the sources that its answers name.",
        sources: "")
}
