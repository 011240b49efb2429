-- Texts of private notes in the history of ratings are erased two hours after the change (decision 0049).

-- Finds them.
create index rating_changes_with_a_note on rating_changes (changed_at) where fields #>> '{private_note,to}' is not null;
