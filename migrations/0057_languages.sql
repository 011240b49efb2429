-- A language is a folder and a row of the program, so the database checks the form of its tag alone.
alter table known_devices
  drop constraint known_devices_language_check,
  add constraint known_devices_language_check check (language ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?$');

alter table reader_preferences
  drop constraint reader_preferences_language_check,
  add constraint reader_preferences_language_check check (language ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?$');
