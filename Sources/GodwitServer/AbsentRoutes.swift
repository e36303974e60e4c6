//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// The routes of CouchDB's API that are not there yet: each answers 501 and names what is missing.
let absentRoutes: [Route] = [
    absent([.get, .post, .delete], "/_session", "login by cookie (`_session`)"),
    absent([.get], "/_active_tasks", "`_active_tasks`"),
    absent([.get, .post], "/_dbs_info", "`_dbs_info`"),
    absent([.get], "/_db_updates", "`_db_updates`"),
    absent([.get], "/_membership", "`_membership`"),
    absent([.post], "/_replicate", "replication run by the server; use `godwit replicate`"),
    absent([.get, .put, .delete, .post], "/_node/{rest...}", "configuration and statistics (`_node`)"),
    absent([.get, .put, .delete, .post], "/_scheduler/{rest...}", "the replication scheduler"),
    absent([.get], "/_utils", "the web console"),
    absent([.post], "/{db}/_find", "Mango queries (`_find`)"),
    absent([.post], "/{db}/_explain", "Mango queries (`_explain`)"),
    absent([.get, .post], "/{db}/_index", "Mango indexes (`_index`)"),
    absent([.get, .put], "/{db}/_security", "security objects (`_security`)"),
    absent([.post], "/{db}/_compact", "compaction"),
    absent([.post], "/{db}/_view_cleanup", "views"),
    absent([.post], "/{db}/_purge", "purging"),
    absent([.get, .put], "/{db}/_revs_limit", "`_revs_limit`"),
    absent([.post], "/{db}/_missing_revs", "`_missing_revs`; use `_revs_diff`"),
    absent([.get, .post], "/{db}/_design_docs", "`_design_docs`"),
    absent([.get, .post], "/{db}/_local_docs", "`_local_docs`"),
    absent([.get, .post], "/{db}/_design/{design}/_view/{rest...}", "views"),
    absent([.get, .post, .put], "/{db}/_design/{design}/_update/{rest...}", "update functions"),
    absent([.get], "/{db}/_design/{design}/_info", "views"),
    absent([.get, .post], "/{db}/_design/{design}/_geo/{rest...}", "geospatial queries"),
    absent([.get, .post], "/{db}/_design/{design}/_search/{rest...}", "text search"),
    absent([.get, .post], "/{db}/_partition/{rest...}", "partitioned databases"),
].flatMap { $0 }

private func absent(_ methods: [HTTPRequest.Method], _ pattern: String, _ feature: String) -> [Route] {
    methods.map { method in
        Route(method, pattern) { _, _, _ in throw HTTPFailure.notImplemented(feature) }
    }
}
