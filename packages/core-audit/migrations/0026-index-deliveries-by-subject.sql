-- Answers: which subjects have a pending delivery that no claim has marked as blocked, and does a dead letter block the subject? The
-- index replaces `outbox_deliveries_by_state`.
--
-- Older code still runs: it does not use this index.
-- compatible: older releases keep working
-- transaction: none

create index concurrently outbox_deliveries_by_subject
on core_audit.outbox_deliveries (consumer, state, is_blocked, subject, position)
where state in ('pending', 'dead');
