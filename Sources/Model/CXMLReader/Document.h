/* The tree of a document, which the parser builds and the accessors read. */

#ifndef DOCUMENT_H
#define DOCUMENT_H

#include "Arena.h"
#include "CXMLReader.h"

typedef struct Attribute {
    const char *name;
    const char *value;
    CXMLPosition position;
} Attribute;

struct CXMLElement {
    const char *name;
    CXMLPosition position;
    size_t offset;
    Attribute *attributes;
    size_t attribute_count;
    CXMLElement *parent;
    CXMLElement *first_child;
    CXMLElement *last_child;
    CXMLElement *next_sibling;
    char *text;
    size_t text_length;
    size_t text_capacity;
};

struct CXMLDocument {
    Arena arena;
    CXMLElement *root;
    bool has_error;
    char error_message[512];
    CXMLPosition error_position;
    bool has_external_subset;
    CXMLPosition external_subset_position;
};

#endif
