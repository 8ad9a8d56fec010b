-- Validates the check of the previous migration. Reads the table without blocking its readers or writers.
-- compatible: older releases keep working

alter table document_actions.executions validate constraint executions_idempotency_key_check;
