/* Deliberately empty: libxml2's headers pull in ICU's, which collide with Foundation's own copy in one Swift
   module. Only the C target CXMLReader includes them; this target carries the search paths and the library. */
