import { defineErrors, refusal } from '../errors.ts'

/** The errors of an operator's refused command. No route returns them. */
export const AuditError = defineErrors('AuditError', {
  'audit.partition_not_found': refusal(404, 'No partition of the audit log ends with this year.'),
  'audit.year_not_over': refusal(409, 'The year is not over: it can still receive events.'),
  'audit.writers_not_ended': refusal(
    409,
    'A transaction that wrote audit events is still open: its events of the year would be missing. Try again later.',
  ),
  'audit.export_not_found': refusal(404, 'The folder contains no export.'),
  'audit.export_conflict': refusal(409, 'The folder contains another export.'),
  'audit.export_incomplete': refusal(409, 'The export is not complete.'),
  'audit.export_damaged': refusal(409, 'The files of the export differ from their manifest.'),
  'audit.export_differs': refusal(409, 'The export differs from the partition.'),
  'audit.time_not_in_parquet': refusal(409, 'Parquet has no form for the time of an event.'),
  'audit.package_missing': refusal(409, 'A package that the command needs is not installed.'),
  'audit.retention_not_configured': refusal(
    409,
    'AuditLog__RetentionYears is not set, so nothing is dropped.',
  ),
  'audit.retention_not_over': refusal(409, 'The year is not older than the retention.'),
  'audit.drop_running': refusal(
    409,
    'Another "audit drop" still runs on this database. Wait for its end, then run the command again.',
  ),
  'audit.drop_interrupted': refusal(
    409,
    'The detachment of the partition was interrupted. Run the command again.',
  ),
  'audit.older_partition_exists': refusal(409, 'An older partition exists: drop it first.'),
})
