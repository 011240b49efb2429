-- The release calendar reads volumes by their date of publication, and works and volumes whose day is unknown by their
-- month (decision 0048). Games with a release day are read from `listings_by_date`.
create index light_novel_volumes_by_date on light_novel_volumes (publication_date) where publication_date is not null;
create index manga_volumes_by_date on manga_volumes (publication_date) where publication_date is not null;
create index light_novel_volumes_by_month on light_novel_volumes (publication_date_text) where publication_date is null;
create index manga_volumes_by_month on manga_volumes (publication_date_text) where publication_date is null;
create index galgames_by_month on galgames (release_date_tbd_note) where release_date is null;
