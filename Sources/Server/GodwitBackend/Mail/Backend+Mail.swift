//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore
import GodwitTransport

extension Backend {
    /// Sends a mail to the account that has verified an e-mail address. The mail contains a link to set a new password,
    /// or a code for a login. Nothing is sent when the address is unknown, when the account is blocked, when too many
    /// mails wait, and when too many mails were sent to the address. The result does not show whether a mail is sent.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/mailNotConfigured``,
    ///   ``AccountError/Code/invalidAddress`` or ``AccountError/Code/tooManyRequests``.
    func requestMail(
        _ kind: MailKind, to email: String, in application: Application, from address: String
    ) async throws {
        let (settings, _) = try mail(to: email, in: application, from: address)
        mails.add(for: application.id) { [self] in
            guard let account = try await owner(of: email, in: application), !account.isBlocked,
                let known = account.profile.email.flatMap({ MailAddress($0) }),
                isWithinLimit(known, in: application, from: address)
            else { return }
            try await send(kind, to: known, of: account, settings, in: application)
        }
    }

    /// Sends a user a mail that asks to confirm the address of the account or a new address.
    ///
    /// - Throws: The errors of ``requestMail(_:to:in:from:)``, or ``AccountError`` with code
    ///   ``AccountError/Code/userNotFound``. The code is ``AccountError/Code/tooManyRequests`` when too many mails
    ///   wait.
    func requestConfirmation(
        _ kind: MailKind, of email: String, for user: String, in application: Application, from address: String
    ) async throws {
        let (settings, recipient) = try mail(to: email, in: application, from: address)
        guard let account = try await accounts(application).account(named: user) else {
            throw AccountError.userNotFound
        }
        guard mailRecipients.count("\(application.id)\u{0}/\(user)", countMax: BackendLimits.mailsPerAccountAndHour),
            isWithinLimit(recipient, in: application, from: address)
        else { throw AccountError.tooManyMails }
        let isAdded = mails.add(for: application.id) { [self] in
            try await send(kind, to: recipient, of: account, settings, in: application)
        }
        guard isAdded else { throw AccountError.tooManyMails }
    }

    /// Sets the address of an account that has none. If the application sends mails, also sends the mail that asks to
    /// confirm the address.
    func setFirstAddress(_ email: String, of user: String, in application: Application, from address: String)
        async throws
    {
        guard let recipient = MailAddress(email) else { throw AccountError.invalidAddress }
        try await change(user, in: application) { account in
            guard account.profile.email == nil else { return }
            (account.profile.email, account.profile.isEmailVerified) = (recipient.description, false)
        }
        guard application.mail != nil else { return }
        try await requestConfirmation(.verification, of: email, for: user, in: application, from: address)
    }

    /// Checks that a mail can be sent, and counts the request.
    private func mail(
        to email: String, in application: Application, from address: String
    ) throws -> (MailSettings, MailAddress) {
        guard let settings = application.mail else {
            throw AccountError(
                .mailNotConfigured, "This application sends no mail: its declaration has no member mail.")
        }
        guard let recipient = MailAddress(email) else { throw AccountError.invalidAddress }
        guard mailRequests.count(in: application.id, from: address, countMax: BackendLimits.mailsPerMinute) else {
            throw AccountError.tooManyMails
        }
        return (settings, recipient)
    }

    /// Counts a mail to an address. The number of mails for an address is limited. Requests from one network may cause
    /// only a part of these mails, so that other networks can still request mails for the address.
    private func isWithinLimit(_ recipient: MailAddress, in application: Application, from address: String) -> Bool {
        let key = "\(application.id)\u{0}\(recipient.key)"
        let network = HostAddress.network(of: address)
        return mailRecipients.count("\(key)\u{0}\(network)", countMax: BackendLimits.mailsPerRecipientAndHour)
            && mailRecipients.count(key, countMax: BackendLimits.mailsPerRecipientAndHour * 4)
    }

    private func send(
        _ kind: MailKind, to recipient: MailAddress, of account: UserAccount, _ settings: MailSettings,
        in application: Application
    ) async throws {
        let now = WallClock.seconds
        let secret = try await accounts(application).changeMailTokens(of: account.name) { tokens in
            tokens.issue(kind, for: recipient.description, now: now)
        }
        let token = MailToken(kind, user: account.name, secret: secret).text
        let page = application.url.map { "\($0)/_apps/\(application.id)/confirm" }
        let hours = kind.secondsMax / 3_600
        try await settings.server.send(
            settings.message(
                kind, to: recipient,
                [
                    "app": settings.server.name ?? application.id, "name": account.profile.displayName ?? account.name,
                    "email": recipient.description, "code": secret,
                    "link": settings.link(kind, token: token, page: page),
                    "hours": hours == 1 ? "one hour" : "\(hours) hours",
                ]))
    }

    // MARK: Using tokens

    /// Uses the token of a mail: confirms an address, or sets a new password.
    ///
    /// - Parameter newPassword: The new password; `nil` if the token only confirms an address. If the password is
    ///   required but missing or invalid, this method throws an error, and the token remains valid.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/loginRefused`` when the token is wrong, is expired, was
    ///   used, or was replaced by a later token; ``AccountError/Code/invalidPassword``;
    ///   ``AccountError/Code/tooManyRequests``; ``AccountError/Code/addressTaken`` when another account has the
    ///   address.
    func confirm(_ text: String, newPassword: String?, in application: Application, from address: String) async throws {
        guard let token = MailToken(text), token.kind != .login, token.kind != .changed else {
            throw AccountError.invalidMailToken
        }
        if token.kind == .reset {
            guard let newPassword else {
                throw AccountError(.invalidPassword, "Send the new password as new_password.")
            }
            try Backend.check(newPassword)
            try Backend.check(newPassword, by: application.passwords)
        }
        guard mailUses.count(in: application.id, from: address, countMax: BackendLimits.mailUsesPerMinute) else {
            throw AccountError.tooManyMails
        }
        let now = WallClock.seconds
        guard try await accounts(application).account(named: token.user) != nil,
            let email = try await accounts(application).changeMailTokens(
                of: token.user, { $0.use(token.kind, token.secret, now: now) })
        else { throw AccountError.invalidMailToken }
        switch token.kind {
        case .reset: try await reset(token.user, to: newPassword ?? "", for: email, in: application)
        default: try await verify(email, of: token.user, isNew: token.kind == .change, in: application)
        }
    }

    private func reset(_ user: String, to password: String, for email: String, in application: Application) async throws
    {
        let account = try await accounts(application).account(named: user)
        // After the mail was sent, the address of the account may have been changed.
        guard let account, account.profile.email?.isIdenticalText(to: email) == true, account.profile.isEmailVerified
        else {
            throw AccountError.invalidMailToken
        }
        try await resetPassword(of: user, to: password, in: application.id)
    }

    private func verify(_ email: String, of user: String, isNew: Bool, in application: Application) async throws {
        // Two accounts must not verify the same address at the same time.
        let old = try await accountLock.withLock(Backend.addressLock(email, in: application)) { () -> String? in
            try await withdraw(email, fromOthersThan: user, in: application)
            let owner = try await owner(of: email, in: application)
            guard owner?.name.isIdenticalText(to: user) ?? true else {
                throw AccountError(.addressTaken, "Another account has this e-mail address.")
            }
            guard let account = try await accounts(application).account(named: user),
                isNew || account.profile.email?.isIdenticalText(to: email) == true
            else { throw AccountError.invalidMailToken }
            try await change(user, in: application) { account in
                (account.profile.email, account.profile.isEmailVerified) = (email, true)
                account.profile.emailProvider = nil
            }
            return account.profile.isEmailVerified && !ExactText.areEqual(account.profile.email, email)
                ? account.profile.email : nil
        }
        guard let old, let settings = application.mail, let recipient = MailAddress(old) else { return }
        mails.add(for: application.id) {
            try await settings.server.send(
                settings.message(
                    .changed, to: recipient,
                    ["app": settings.server.name ?? application.id, "name": user, "email": email]))
        }
    }

    /// The name that the log uses for logins with a code from a mail.
    private static let mailCodeMethod = "code of a mail"

    /// Logs a user in with the code of a mail.
    ///
    /// - Throws: ``HTTPFailure`` with status 401, with the same reason, when the address is unknown and when the code
    ///   is wrong. Also throws the other errors of a login.
    func logIn(
        withCode code: String, of email: String, in application: Application, device: DeviceDetails, version: String?,
        secondFactor: String?, from address: String
    ) async throws -> Login {
        guard application.versions.matches(version) else { throw AccountError.versionRefused(by: application) }
        let now = WallClock.seconds
        // Failures are counted for the address, like failures for the name of a user. The name under which they are
        // counted contains a colon. Therefore it differs from the names of all users.
        let name = application.principalName(of: Backend.loginName(ofEmail: email))
        let account = try await provingCode(name, by: Backend.mailCodeMethod, from: address) { () -> UserAccount? in
            guard let account = try await owner(of: email, in: application) else { return nil }
            // If the second factor is missing, the code remains valid, because the client repeats the login with the
            // code and the second factor.
            let isComplete =
                if secondFactor == nil { try await !accounts(application).secondFactor(of: account.name).isActive } else
                { true }
            let sent = try await accounts(application).changeMailTokens(of: account.name) { tokens in
                var rest = tokens
                let sent = rest.use(.login, code, now: now)
                if sent == nil || isComplete { tokens = rest }
                return sent
            }
            guard let sent, UserProfile.key(of: sent).isIdenticalText(to: UserProfile.key(of: email))
            else { return nil }
            return account
        }
        try await checkSecondFactor(secondFactor, of: account.name, in: application, from: address)
        let login = try await logIn(account, in: application, device: device, version: version)
        try server.authenticator.noteLogin(
            application.principalName(of: account.name), by: Backend.mailCodeMethod, from: address)
        return login
    }

    /// Returns the name for which failed logins with an e-mail address are counted. No user has such a name, since it
    /// contains a colon.
    static func loginName(ofEmail email: String) -> String {
        "mail:\(UserProfile.key(of: String(email.prefix(MailAddress.bytesMax))))"
    }
}

extension AccountError {
    fileprivate static let invalidMailToken = AccountError(
        .loginRefused, "This link is wrong, was used, is too old, or was replaced by a newer one. Ask for another one.")
    static let invalidAddress = AccountError(.invalidAddress, "This is not a valid e-mail address.")
    fileprivate static let tooManyMails = AccountError(
        .tooManyRequests, "Too many mails were requested. Try again later.", retrySeconds: 60)
}
