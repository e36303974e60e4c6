//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "ConsoleAssets.h"

static const unsigned char api_js[] = {
#embed "Page/api.js"
};
static const unsigned char app_js[] = {
#embed "Page/app.js"
};
static const unsigned char console_css[] = {
#embed "Page/console.css"
};
static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char pages_applications_js[] = {
#embed "Page/pages/applications.js"
};
static const unsigned char pages_backups_js[] = {
#embed "Page/pages/backups.js"
};
static const unsigned char pages_changes_js[] = {
#embed "Page/pages/changes.js"
};
static const unsigned char pages_database_js[] = {
#embed "Page/pages/database.js"
};
static const unsigned char pages_databases_js[] = {
#embed "Page/pages/databases.js"
};
static const unsigned char pages_design_js[] = {
#embed "Page/pages/design.js"
};
static const unsigned char pages_document_js[] = {
#embed "Page/pages/document.js"
};
static const unsigned char pages_help_js[] = {
#embed "Page/pages/help.js"
};
static const unsigned char pages_log_js[] = {
#embed "Page/pages/log.js"
};
static const unsigned char pages_objects_js[] = {
#embed "Page/pages/objects.js"
};
static const unsigned char pages_overview_js[] = {
#embed "Page/pages/overview.js"
};
static const unsigned char pages_queries_js[] = {
#embed "Page/pages/queries.js"
};
static const unsigned char pages_replications_js[] = {
#embed "Page/pages/replications.js"
};
static const unsigned char pages_security_js[] = {
#embed "Page/pages/security.js"
};
static const unsigned char pages_settings_js[] = {
#embed "Page/pages/settings.js"
};
static const unsigned char parts_application_accounts_js[] = {
#embed "Page/parts/application-accounts.js"
};
static const unsigned char parts_application_change_js[] = {
#embed "Page/parts/application-change.js"
};
static const unsigned char parts_application_code_js[] = {
#embed "Page/parts/application-code.js"
};
static const unsigned char parts_application_databases_js[] = {
#embed "Page/parts/application-databases.js"
};
static const unsigned char parts_application_draft_js[] = {
#embed "Page/parts/application-draft.js"
};
static const unsigned char parts_application_logins_js[] = {
#embed "Page/parts/application-logins.js"
};
static const unsigned char parts_application_mail_js[] = {
#embed "Page/parts/application-mail.js"
};
static const unsigned char parts_application_paths_js[] = {
#embed "Page/parts/application-paths.js"
};
static const unsigned char parts_application_provider_kinds_js[] = {
#embed "Page/parts/application-provider-kinds.js"
};
static const unsigned char parts_application_provider_js[] = {
#embed "Page/parts/application-provider.js"
};
static const unsigned char parts_application_settings_js[] = {
#embed "Page/parts/application-settings.js"
};
static const unsigned char parts_application_steps_js[] = {
#embed "Page/parts/application-steps.js"
};
static const unsigned char parts_application_user_js[] = {
#embed "Page/parts/application-user.js"
};
static const unsigned char parts_application_users_js[] = {
#embed "Page/parts/application-users.js"
};
static const unsigned char parts_application_versions_js[] = {
#embed "Page/parts/application-versions.js"
};
static const unsigned char parts_application_web_js[] = {
#embed "Page/parts/application-web.js"
};
static const unsigned char parts_application_wizard_js[] = {
#embed "Page/parts/application-wizard.js"
};
static const unsigned char parts_attachments_js[] = {
#embed "Page/parts/attachments.js"
};
static const unsigned char parts_backup_actions_js[] = {
#embed "Page/parts/backup-actions.js"
};
static const unsigned char parts_backup_check_js[] = {
#embed "Page/parts/backup-check.js"
};
static const unsigned char parts_backup_one_js[] = {
#embed "Page/parts/backup-one.js"
};
static const unsigned char parts_backup_poll_js[] = {
#embed "Page/parts/backup-poll.js"
};
static const unsigned char parts_backup_state_js[] = {
#embed "Page/parts/backup-state.js"
};
static const unsigned char parts_bounded_read_js[] = {
#embed "Page/parts/bounded-read.js"
};
static const unsigned char parts_bulk_edit_js[] = {
#embed "Page/parts/bulk-edit.js"
};
static const unsigned char parts_bulk_write_js[] = {
#embed "Page/parts/bulk-write.js"
};
static const unsigned char parts_changes_feed_js[] = {
#embed "Page/parts/changes-feed.js"
};
static const unsigned char parts_chart_js[] = {
#embed "Page/parts/chart.js"
};
static const unsigned char parts_conflict_count_js[] = {
#embed "Page/parts/conflict-count.js"
};
static const unsigned char parts_database_columns_js[] = {
#embed "Page/parts/database-columns.js"
};
static const unsigned char parts_database_documents_js[] = {
#embed "Page/parts/database-documents.js"
};
static const unsigned char parts_database_export_js[] = {
#embed "Page/parts/database-export.js"
};
static const unsigned char parts_database_field_js[] = {
#embed "Page/parts/database-field.js"
};
static const unsigned char parts_database_filter_js[] = {
#embed "Page/parts/database-filter.js"
};
static const unsigned char parts_database_import_js[] = {
#embed "Page/parts/database-import.js"
};
static const unsigned char parts_database_indexes_js[] = {
#embed "Page/parts/database-indexes.js"
};
static const unsigned char parts_database_last_js[] = {
#embed "Page/parts/database-last.js"
};
static const unsigned char parts_database_lists_js[] = {
#embed "Page/parts/database-lists.js"
};
static const unsigned char parts_database_map_js[] = {
#embed "Page/parts/database-map.js"
};
static const unsigned char parts_database_pages_js[] = {
#embed "Page/parts/database-pages.js"
};
static const unsigned char parts_database_purge_js[] = {
#embed "Page/parts/database-purge.js"
};
static const unsigned char parts_database_selection_js[] = {
#embed "Page/parts/database-selection.js"
};
static const unsigned char parts_database_sort_js[] = {
#embed "Page/parts/database-sort.js"
};
static const unsigned char parts_design_dialogs_js[] = {
#embed "Page/parts/design-dialogs.js"
};
static const unsigned char parts_design_list_js[] = {
#embed "Page/parts/design-list.js"
};
static const unsigned char parts_design_model_js[] = {
#embed "Page/parts/design-model.js"
};
static const unsigned char parts_design_new_js[] = {
#embed "Page/parts/design-new.js"
};
static const unsigned char parts_design_panel_js[] = {
#embed "Page/parts/design-panel.js"
};
static const unsigned char parts_design_save_js[] = {
#embed "Page/parts/design-save.js"
};
static const unsigned char parts_design_templates_js[] = {
#embed "Page/parts/design-templates.js"
};
static const unsigned char parts_difference_js[] = {
#embed "Page/parts/difference.js"
};
static const unsigned char parts_document_merge_js[] = {
#embed "Page/parts/document-merge.js"
};
static const unsigned char parts_document_pages_js[] = {
#embed "Page/parts/document-pages.js"
};
static const unsigned char parts_document_read_js[] = {
#embed "Page/parts/document-read.js"
};
static const unsigned char parts_document_text_js[] = {
#embed "Page/parts/document-text.js"
};
static const unsigned char parts_editor_js[] = {
#embed "Page/parts/editor.js"
};
static const unsigned char parts_export_formats_js[] = {
#embed "Page/parts/export-formats.js"
};
static const unsigned char parts_import_documents_js[] = {
#embed "Page/parts/import-documents.js"
};
static const unsigned char parts_import_preview_js[] = {
#embed "Page/parts/import-preview.js"
};
static const unsigned char parts_import_read_js[] = {
#embed "Page/parts/import-read.js"
};
static const unsigned char parts_import_records_js[] = {
#embed "Page/parts/import-records.js"
};
static const unsigned char parts_index_form_js[] = {
#embed "Page/parts/index-form.js"
};
static const unsigned char parts_json_text_js[] = {
#embed "Page/parts/json-text.js"
};
static const unsigned char parts_json_js[] = {
#embed "Page/parts/json.js"
};
static const unsigned char parts_keys_js[] = {
#embed "Page/parts/keys.js"
};
static const unsigned char parts_map_choices_js[] = {
#embed "Page/parts/map-choices.js"
};
static const unsigned char parts_map_example_js[] = {
#embed "Page/parts/map-example.js"
};
static const unsigned char parts_map_features_js[] = {
#embed "Page/parts/map-features.js"
};
static const unsigned char parts_map_geometry_js[] = {
#embed "Page/parts/map-geometry.js"
};
static const unsigned char parts_map_layers_js[] = {
#embed "Page/parts/map-layers.js"
};
static const unsigned char parts_map_library_js[] = {
#embed "Page/parts/map-library.js"
};
static const unsigned char parts_map_js[] = {
#embed "Page/parts/map.js"
};
static const unsigned char parts_merge_js[] = {
#embed "Page/parts/merge.js"
};
static const unsigned char parts_objects_account_actions_js[] = {
#embed "Page/parts/objects-account-actions.js"
};
static const unsigned char parts_objects_accounts_js[] = {
#embed "Page/parts/objects-accounts.js"
};
static const unsigned char parts_objects_container_js[] = {
#embed "Page/parts/objects-container.js"
};
static const unsigned char parts_objects_containers_js[] = {
#embed "Page/parts/objects-containers.js"
};
static const unsigned char parts_objects_delete_js[] = {
#embed "Page/parts/objects-delete.js"
};
static const unsigned char parts_objects_download_js[] = {
#embed "Page/parts/objects-download.js"
};
static const unsigned char parts_objects_form_js[] = {
#embed "Page/parts/objects-form.js"
};
static const unsigned char parts_objects_keys_js[] = {
#embed "Page/parts/objects-keys.js"
};
static const unsigned char parts_objects_list_js[] = {
#embed "Page/parts/objects-list.js"
};
static const unsigned char parts_objects_one_js[] = {
#embed "Page/parts/objects-one.js"
};
static const unsigned char parts_objects_paths_js[] = {
#embed "Page/parts/objects-paths.js"
};
static const unsigned char parts_objects_preview_js[] = {
#embed "Page/parts/objects-preview.js"
};
static const unsigned char parts_objects_public_js[] = {
#embed "Page/parts/objects-public.js"
};
static const unsigned char parts_objects_quota_js[] = {
#embed "Page/parts/objects-quota.js"
};
static const unsigned char parts_objects_read_js[] = {
#embed "Page/parts/objects-read.js"
};
static const unsigned char parts_objects_same_js[] = {
#embed "Page/parts/objects-same.js"
};
static const unsigned char parts_objects_selection_js[] = {
#embed "Page/parts/objects-selection.js"
};
static const unsigned char parts_objects_upload_js[] = {
#embed "Page/parts/objects-upload.js"
};
static const unsigned char parts_overview_databases_js[] = {
#embed "Page/parts/overview-databases.js"
};
static const unsigned char parts_overview_history_js[] = {
#embed "Page/parts/overview-history.js"
};
static const unsigned char parts_overview_start_js[] = {
#embed "Page/parts/overview-start.js"
};
static const unsigned char parts_progress_js[] = {
#embed "Page/parts/progress.js"
};
static const unsigned char parts_query_area_js[] = {
#embed "Page/parts/query-area.js"
};
static const unsigned char parts_query_geo_js[] = {
#embed "Page/parts/query-geo.js"
};
static const unsigned char parts_query_index_js[] = {
#embed "Page/parts/query-index.js"
};
static const unsigned char parts_query_mango_js[] = {
#embed "Page/parts/query-mango.js"
};
static const unsigned char parts_query_nodes_js[] = {
#embed "Page/parts/query-nodes.js"
};
static const unsigned char parts_query_plan_js[] = {
#embed "Page/parts/query-plan.js"
};
static const unsigned char parts_query_results_js[] = {
#embed "Page/parts/query-results.js"
};
static const unsigned char parts_query_text_answer_js[] = {
#embed "Page/parts/query-text-answer.js"
};
static const unsigned char parts_query_text_js[] = {
#embed "Page/parts/query-text.js"
};
static const unsigned char parts_query_view_js[] = {
#embed "Page/parts/query-view.js"
};
static const unsigned char parts_replication_form_js[] = {
#embed "Page/parts/replication-form.js"
};
static const unsigned char parts_revision_tree_js[] = {
#embed "Page/parts/revision-tree.js"
};
static const unsigned char parts_rights_js[] = {
#embed "Page/parts/rights.js"
};
static const unsigned char parts_same_js[] = {
#embed "Page/parts/same.js"
};
static const unsigned char parts_security_keys_js[] = {
#embed "Page/parts/security-keys.js"
};
static const unsigned char parts_security_permissions_js[] = {
#embed "Page/parts/security-permissions.js"
};
static const unsigned char parts_security_rights_js[] = {
#embed "Page/parts/security-rights.js"
};
static const unsigned char parts_security_sessions_js[] = {
#embed "Page/parts/security-sessions.js"
};
static const unsigned char parts_sha256_js[] = {
#embed "Page/parts/sha256.js"
};
static const unsigned char parts_swift_literal_js[] = {
#embed "Page/parts/swift-literal.js"
};
static const unsigned char parts_table_js[] = {
#embed "Page/parts/table.js"
};
static const unsigned char parts_trial_results_js[] = {
#embed "Page/parts/trial-results.js"
};
static const unsigned char parts_trial_js[] = {
#embed "Page/parts/trial.js"
};
static const unsigned char parts_upload_js[] = {
#embed "Page/parts/upload.js"
};
static const unsigned char texts_js[] = {
#embed "Page/texts.js"
};
static const unsigned char view_js[] = {
#embed "Page/view.js"
};

static const struct {
    const char *path;
    const unsigned char *bytes;
    size_t size;
} files[] = {
    {"api.js", api_js, sizeof api_js},
    {"app.js", app_js, sizeof app_js},
    {"console.css", console_css, sizeof console_css},
    {"index.html", index_html, sizeof index_html},
    {"pages/applications.js", pages_applications_js, sizeof pages_applications_js},
    {"pages/backups.js", pages_backups_js, sizeof pages_backups_js},
    {"pages/changes.js", pages_changes_js, sizeof pages_changes_js},
    {"pages/database.js", pages_database_js, sizeof pages_database_js},
    {"pages/databases.js", pages_databases_js, sizeof pages_databases_js},
    {"pages/design.js", pages_design_js, sizeof pages_design_js},
    {"pages/document.js", pages_document_js, sizeof pages_document_js},
    {"pages/help.js", pages_help_js, sizeof pages_help_js},
    {"pages/log.js", pages_log_js, sizeof pages_log_js},
    {"pages/objects.js", pages_objects_js, sizeof pages_objects_js},
    {"pages/overview.js", pages_overview_js, sizeof pages_overview_js},
    {"pages/queries.js", pages_queries_js, sizeof pages_queries_js},
    {"pages/replications.js", pages_replications_js, sizeof pages_replications_js},
    {"pages/security.js", pages_security_js, sizeof pages_security_js},
    {"pages/settings.js", pages_settings_js, sizeof pages_settings_js},
    {"parts/application-accounts.js", parts_application_accounts_js, sizeof parts_application_accounts_js},
    {"parts/application-change.js", parts_application_change_js, sizeof parts_application_change_js},
    {"parts/application-code.js", parts_application_code_js, sizeof parts_application_code_js},
    {"parts/application-databases.js", parts_application_databases_js, sizeof parts_application_databases_js},
    {"parts/application-draft.js", parts_application_draft_js, sizeof parts_application_draft_js},
    {"parts/application-logins.js", parts_application_logins_js, sizeof parts_application_logins_js},
    {"parts/application-mail.js", parts_application_mail_js, sizeof parts_application_mail_js},
    {"parts/application-paths.js", parts_application_paths_js, sizeof parts_application_paths_js},
    {"parts/application-provider-kinds.js", parts_application_provider_kinds_js, sizeof parts_application_provider_kinds_js},
    {"parts/application-provider.js", parts_application_provider_js, sizeof parts_application_provider_js},
    {"parts/application-settings.js", parts_application_settings_js, sizeof parts_application_settings_js},
    {"parts/application-steps.js", parts_application_steps_js, sizeof parts_application_steps_js},
    {"parts/application-user.js", parts_application_user_js, sizeof parts_application_user_js},
    {"parts/application-users.js", parts_application_users_js, sizeof parts_application_users_js},
    {"parts/application-versions.js", parts_application_versions_js, sizeof parts_application_versions_js},
    {"parts/application-web.js", parts_application_web_js, sizeof parts_application_web_js},
    {"parts/application-wizard.js", parts_application_wizard_js, sizeof parts_application_wizard_js},
    {"parts/attachments.js", parts_attachments_js, sizeof parts_attachments_js},
    {"parts/backup-actions.js", parts_backup_actions_js, sizeof parts_backup_actions_js},
    {"parts/backup-check.js", parts_backup_check_js, sizeof parts_backup_check_js},
    {"parts/backup-one.js", parts_backup_one_js, sizeof parts_backup_one_js},
    {"parts/backup-poll.js", parts_backup_poll_js, sizeof parts_backup_poll_js},
    {"parts/backup-state.js", parts_backup_state_js, sizeof parts_backup_state_js},
    {"parts/bounded-read.js", parts_bounded_read_js, sizeof parts_bounded_read_js},
    {"parts/bulk-edit.js", parts_bulk_edit_js, sizeof parts_bulk_edit_js},
    {"parts/bulk-write.js", parts_bulk_write_js, sizeof parts_bulk_write_js},
    {"parts/changes-feed.js", parts_changes_feed_js, sizeof parts_changes_feed_js},
    {"parts/chart.js", parts_chart_js, sizeof parts_chart_js},
    {"parts/conflict-count.js", parts_conflict_count_js, sizeof parts_conflict_count_js},
    {"parts/database-columns.js", parts_database_columns_js, sizeof parts_database_columns_js},
    {"parts/database-documents.js", parts_database_documents_js, sizeof parts_database_documents_js},
    {"parts/database-export.js", parts_database_export_js, sizeof parts_database_export_js},
    {"parts/database-field.js", parts_database_field_js, sizeof parts_database_field_js},
    {"parts/database-filter.js", parts_database_filter_js, sizeof parts_database_filter_js},
    {"parts/database-import.js", parts_database_import_js, sizeof parts_database_import_js},
    {"parts/database-indexes.js", parts_database_indexes_js, sizeof parts_database_indexes_js},
    {"parts/database-last.js", parts_database_last_js, sizeof parts_database_last_js},
    {"parts/database-lists.js", parts_database_lists_js, sizeof parts_database_lists_js},
    {"parts/database-map.js", parts_database_map_js, sizeof parts_database_map_js},
    {"parts/database-pages.js", parts_database_pages_js, sizeof parts_database_pages_js},
    {"parts/database-purge.js", parts_database_purge_js, sizeof parts_database_purge_js},
    {"parts/database-selection.js", parts_database_selection_js, sizeof parts_database_selection_js},
    {"parts/database-sort.js", parts_database_sort_js, sizeof parts_database_sort_js},
    {"parts/design-dialogs.js", parts_design_dialogs_js, sizeof parts_design_dialogs_js},
    {"parts/design-list.js", parts_design_list_js, sizeof parts_design_list_js},
    {"parts/design-model.js", parts_design_model_js, sizeof parts_design_model_js},
    {"parts/design-new.js", parts_design_new_js, sizeof parts_design_new_js},
    {"parts/design-panel.js", parts_design_panel_js, sizeof parts_design_panel_js},
    {"parts/design-save.js", parts_design_save_js, sizeof parts_design_save_js},
    {"parts/design-templates.js", parts_design_templates_js, sizeof parts_design_templates_js},
    {"parts/difference.js", parts_difference_js, sizeof parts_difference_js},
    {"parts/document-merge.js", parts_document_merge_js, sizeof parts_document_merge_js},
    {"parts/document-pages.js", parts_document_pages_js, sizeof parts_document_pages_js},
    {"parts/document-read.js", parts_document_read_js, sizeof parts_document_read_js},
    {"parts/document-text.js", parts_document_text_js, sizeof parts_document_text_js},
    {"parts/editor.js", parts_editor_js, sizeof parts_editor_js},
    {"parts/export-formats.js", parts_export_formats_js, sizeof parts_export_formats_js},
    {"parts/import-documents.js", parts_import_documents_js, sizeof parts_import_documents_js},
    {"parts/import-preview.js", parts_import_preview_js, sizeof parts_import_preview_js},
    {"parts/import-read.js", parts_import_read_js, sizeof parts_import_read_js},
    {"parts/import-records.js", parts_import_records_js, sizeof parts_import_records_js},
    {"parts/index-form.js", parts_index_form_js, sizeof parts_index_form_js},
    {"parts/json-text.js", parts_json_text_js, sizeof parts_json_text_js},
    {"parts/json.js", parts_json_js, sizeof parts_json_js},
    {"parts/keys.js", parts_keys_js, sizeof parts_keys_js},
    {"parts/map-choices.js", parts_map_choices_js, sizeof parts_map_choices_js},
    {"parts/map-example.js", parts_map_example_js, sizeof parts_map_example_js},
    {"parts/map-features.js", parts_map_features_js, sizeof parts_map_features_js},
    {"parts/map-geometry.js", parts_map_geometry_js, sizeof parts_map_geometry_js},
    {"parts/map-layers.js", parts_map_layers_js, sizeof parts_map_layers_js},
    {"parts/map-library.js", parts_map_library_js, sizeof parts_map_library_js},
    {"parts/map.js", parts_map_js, sizeof parts_map_js},
    {"parts/merge.js", parts_merge_js, sizeof parts_merge_js},
    {"parts/objects-account-actions.js", parts_objects_account_actions_js, sizeof parts_objects_account_actions_js},
    {"parts/objects-accounts.js", parts_objects_accounts_js, sizeof parts_objects_accounts_js},
    {"parts/objects-container.js", parts_objects_container_js, sizeof parts_objects_container_js},
    {"parts/objects-containers.js", parts_objects_containers_js, sizeof parts_objects_containers_js},
    {"parts/objects-delete.js", parts_objects_delete_js, sizeof parts_objects_delete_js},
    {"parts/objects-download.js", parts_objects_download_js, sizeof parts_objects_download_js},
    {"parts/objects-form.js", parts_objects_form_js, sizeof parts_objects_form_js},
    {"parts/objects-keys.js", parts_objects_keys_js, sizeof parts_objects_keys_js},
    {"parts/objects-list.js", parts_objects_list_js, sizeof parts_objects_list_js},
    {"parts/objects-one.js", parts_objects_one_js, sizeof parts_objects_one_js},
    {"parts/objects-paths.js", parts_objects_paths_js, sizeof parts_objects_paths_js},
    {"parts/objects-preview.js", parts_objects_preview_js, sizeof parts_objects_preview_js},
    {"parts/objects-public.js", parts_objects_public_js, sizeof parts_objects_public_js},
    {"parts/objects-quota.js", parts_objects_quota_js, sizeof parts_objects_quota_js},
    {"parts/objects-read.js", parts_objects_read_js, sizeof parts_objects_read_js},
    {"parts/objects-same.js", parts_objects_same_js, sizeof parts_objects_same_js},
    {"parts/objects-selection.js", parts_objects_selection_js, sizeof parts_objects_selection_js},
    {"parts/objects-upload.js", parts_objects_upload_js, sizeof parts_objects_upload_js},
    {"parts/overview-databases.js", parts_overview_databases_js, sizeof parts_overview_databases_js},
    {"parts/overview-history.js", parts_overview_history_js, sizeof parts_overview_history_js},
    {"parts/overview-start.js", parts_overview_start_js, sizeof parts_overview_start_js},
    {"parts/progress.js", parts_progress_js, sizeof parts_progress_js},
    {"parts/query-area.js", parts_query_area_js, sizeof parts_query_area_js},
    {"parts/query-geo.js", parts_query_geo_js, sizeof parts_query_geo_js},
    {"parts/query-index.js", parts_query_index_js, sizeof parts_query_index_js},
    {"parts/query-mango.js", parts_query_mango_js, sizeof parts_query_mango_js},
    {"parts/query-nodes.js", parts_query_nodes_js, sizeof parts_query_nodes_js},
    {"parts/query-plan.js", parts_query_plan_js, sizeof parts_query_plan_js},
    {"parts/query-results.js", parts_query_results_js, sizeof parts_query_results_js},
    {"parts/query-text-answer.js", parts_query_text_answer_js, sizeof parts_query_text_answer_js},
    {"parts/query-text.js", parts_query_text_js, sizeof parts_query_text_js},
    {"parts/query-view.js", parts_query_view_js, sizeof parts_query_view_js},
    {"parts/replication-form.js", parts_replication_form_js, sizeof parts_replication_form_js},
    {"parts/revision-tree.js", parts_revision_tree_js, sizeof parts_revision_tree_js},
    {"parts/rights.js", parts_rights_js, sizeof parts_rights_js},
    {"parts/same.js", parts_same_js, sizeof parts_same_js},
    {"parts/security-keys.js", parts_security_keys_js, sizeof parts_security_keys_js},
    {"parts/security-permissions.js", parts_security_permissions_js, sizeof parts_security_permissions_js},
    {"parts/security-rights.js", parts_security_rights_js, sizeof parts_security_rights_js},
    {"parts/security-sessions.js", parts_security_sessions_js, sizeof parts_security_sessions_js},
    {"parts/sha256.js", parts_sha256_js, sizeof parts_sha256_js},
    {"parts/swift-literal.js", parts_swift_literal_js, sizeof parts_swift_literal_js},
    {"parts/table.js", parts_table_js, sizeof parts_table_js},
    {"parts/trial-results.js", parts_trial_results_js, sizeof parts_trial_results_js},
    {"parts/trial.js", parts_trial_js, sizeof parts_trial_js},
    {"parts/upload.js", parts_upload_js, sizeof parts_upload_js},
    {"texts.js", texts_js, sizeof texts_js},
    {"view.js", view_js, sizeof view_js},
};

const char *console_asset(size_t index, const unsigned char **bytes, size_t *size) {
    if (index >= sizeof files / sizeof *files) return NULL;
    *bytes = files[index].bytes;
    *size = files[index].size;
    return files[index].path;
}
