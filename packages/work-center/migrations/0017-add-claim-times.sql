-- A claim has a time. A forwarded task can belong to a member of another role of its definition: the claim then ends with that
-- role, not with the assigned one.
--
-- Older code runs against it: its claims have no time. Nullable columns without a default rewrite nothing.
-- compatible: older releases keep working

alter table work_center.tasks
  add column claimed_at timestamptz,
  -- Null if the claim depends on the assigned role.
  add column claim_role_id uuid;
