-- The audit log stays append-only, with one more exception: what names a person who is forgotten is taken out of the
-- details of an entry. Who did what and when stays.
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('assay.deleted_workspace', true) = OLD.workspace_id THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('assay.forgetting_workspace', true) = OLD.workspace_id THEN
    IF (NEW.id, NEW.workspace_id, NEW.at, NEW.actor_kind, NEW.actor_id, NEW.actor_label, NEW.action, NEW.object_type,
        NEW.outcome, NEW.request_id, NEW.country)
      = (OLD.id, OLD.workspace_id, OLD.at, OLD.actor_kind, OLD.actor_id, OLD.actor_label, OLD.action, OLD.object_type,
         OLD.outcome, OLD.request_id, OLD.country) THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END
$$;
