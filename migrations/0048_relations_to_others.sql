-- A work is not related to itself; sources say so, and joining two related works can make it so.
delete from galgame_relations where related_galgame_id = galgame_id;
alter table galgame_relations add constraint galgame_relations_to_another check (related_galgame_id <> galgame_id);
