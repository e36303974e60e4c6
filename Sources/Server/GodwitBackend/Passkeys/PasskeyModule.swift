//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The ES module with which a page registers passkeys and logs in with them.
enum PasskeyModule {
    static let script = """
        // Passkeys of a Godwit server's administrators.
        //
        //   import { isAvailable, register, logIn } from "/_godwit/passkeys/passkeys.js"
        //
        // Each function rejects with an Error whose message can be shown, and whose `code` is the server's `error`, or the
        // name of the browser's exception, such as `NotAllowedError` when the user cancels.

        const bytes = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0))
        const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
          .replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=/g, "")

        async function call(method, path, body) {
          const answer = await fetch(new URL(path, import.meta.url), {
            method, credentials: "same-origin", headers: { "Content-Type": "application/json" },
            body: JSON.stringify(body ?? {}),
          })
          const result = await answer.json()
          if (!answer.ok) {
            throw Object.assign(new Error(result.reason), { code: result.error, status: answer.status, url: result.url })
          }
          return result
        }

        async function ask(request) {
          try {
            return await request()
          } catch (error) {
            throw Object.assign(new Error(error.message), { code: error.name })
          }
        }

        /** Whether this page can use passkeys. An address such as 127.0.0.1 cannot: open http://localhost instead. */
        export function isAvailable() {
          return window.isSecureContext && "PublicKeyCredential" in window && !/^[0-9.]+$|^\\[/.test(location.hostname)
        }

        /** Registers a passkey for the administrator who is logged in, and returns its id, name and times. */
        export async function register(password, name) {
          const { publicKey, state } = await call("POST", "registration", { password })
          publicKey.challenge = bytes(publicKey.challenge)
          publicKey.user.id = bytes(publicKey.user.id)
          for (const known of publicKey.excludeCredentials) known.id = bytes(known.id)
          const created = await ask(() => navigator.credentials.create({ publicKey }))
          const response = {
            clientDataJSON: text(created.response.clientDataJSON),
            attestationObject: text(created.response.attestationObject),
          }
          return call("PUT", "registration", { state, name, credential: { id: created.id, type: created.type, response } })
        }

        /**
         * Logs an administrator in with a passkey, and returns `name` and `roles`. The browser has the session's cookie: the
         * console's with `{ console: true }`.
         */
        export async function logIn({ console = false } = {}) {
          const { publicKey, state } = await call("POST", "login")
          publicKey.challenge = bytes(publicKey.challenge)
          const used = await ask(() => navigator.credentials.get({ publicKey }))
          const response = {
            clientDataJSON: text(used.response.clientDataJSON),
            authenticatorData: text(used.response.authenticatorData),
            signature: text(used.response.signature),
            userHandle: text(used.response.userHandle),
          }
          return call("PUT", "login", { state, console, credential: { id: used.id, type: used.type, response } })
        }

        """
}
