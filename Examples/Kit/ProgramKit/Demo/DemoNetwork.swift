//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import GodwitHost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Disconnects the demo's device from the network, or connects it again, each time Enter is pressed.
public enum DemoNetwork {
    /// Starts to read lines until the input ends, and returns at once. Does nothing if the input is not a terminal.
    public static func toggleByEnter(_ network: Relay) {
        guard isatty(STDIN_FILENO) == 1 else { return }
        Task.detached {
            var isOpen = true
            while readLine() != nil {
                isOpen.toggle()
                if isOpen { try? await network.open() } else { await network.close() }
                CommandText.printLine(
                    isOpen ? "The device has a network." : "The device has no network. Press Enter to give it back.")
            }
        }
    }
}
