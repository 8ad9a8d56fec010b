-- The index `outbox_deliveries_by_subject` answers the same questions.
--
-- Older code still runs: it sorts the unfinished deliveries of a consumer for each subject, which is slow with a large backlog.
-- compatible: older releases keep working
-- transaction: none

drop index concurrently if exists core_audit.outbox_deliveries_by_state;
