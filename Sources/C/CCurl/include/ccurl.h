//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CCURL_H
#define GODWIT_CCURL_H

#include <stddef.h>

/// A message for an SMTP server, and the way to it. All texts end with 0; a missing text is NULL.
struct godwit_mail {
    /// The server: smtp://HOST:PORT or smtps://HOST:PORT.
    const char *url;
    const char *user;
    const char *password;
    /// The sender's address, as <NAME@HOST>.
    const char *from;
    /// The recipient's address, as <NAME@HOST>.
    const char *to;
    const char *message;
    size_t length;
    /// A PEM file with certificate authorities; NULL for those of the system.
    const char *authorities;
    /// Whether the connection must be protected by TLS.
    int requires_tls;
    long milliseconds_max;
};

/// The size of the text that godwit_mail_send() writes, in bytes.
#define GODWIT_MAIL_ERROR_BYTES 256

/// Sends a message and waits until the server has accepted it.
///
/// - Parameter status: The server's last reply code; 0 without a reply.
/// - Parameter error: A description of the failure.
/// - Returns: 0 when the server has accepted the message; -1 when libcurl is missing; else libcurl's error code.
int godwit_mail_send(const struct godwit_mail *mail, long *status, char error[GODWIT_MAIL_ERROR_BYTES]);

#endif
