//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost

/// The `conversation` command: contains all subcommands.
@main
struct ConversationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversation", abstract: "Answers questions from a corpus, without a cloud service.",
        version: "conversation \(ConversationCommand.versionUsual)",
        subcommands: [
            ServeCommand.self, DeviceCommand.self, DemoCommand.self, IndexCommand.self, AskCommand.self,
        ])

    static let versionUsual = "1.0"

    static func main() async {
        SpeechWorker.runIfRequested()
        await HostProgram.main(ConversationCommand.self)
    }
}
