#include "Parse.h"

#include <stdio.h>

static void refuse_declaration(Parse *parse) {
    const char *message = "The document declares entities or elements of its own, which is refused";
    CXMLParseRefuse(parse, message, CXMLParseReached(parse));
}

static void entity_declaration(
    void *user_data, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
    xmlChar *content
) {
    (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
    refuse_declaration(user_data);
}

static void unparsed_entity_declaration(
    void *user_data, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id, const xmlChar *notation
) {
    (void)name, (void)public_id, (void)system_id, (void)notation;
    refuse_declaration(user_data);
}

static void notation_declaration(
    void *user_data, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id
) {
    (void)name, (void)public_id, (void)system_id;
    refuse_declaration(user_data);
}

static void element_declaration(void *user_data, const xmlChar *name, int type, xmlElementContentPtr content) {
    (void)name, (void)type, (void)content;
    refuse_declaration(user_data);
}

static void attribute_declaration(
    void *user_data, const xmlChar *element, const xmlChar *name, int type, int default_kind, const xmlChar *value,
    xmlEnumerationPtr values
) {
    (void)element, (void)name, (void)type, (void)default_kind, (void)value;
    /* libxml2 leaves the list to the callback. */
    xmlFreeEnumeration(values);
    refuse_declaration(user_data);
}

/* The file that a document type names is not read. */
static void note_document_type(
    void *user_data, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id
) {
    (void)name, (void)public_id;
    Parse *parse = user_data;
    if (system_id == NULL) return;
    parse->document->has_external_subset = true;
    parse->document->external_subset_position = CXMLParseReached(parse);
}

static xmlEntityPtr refuse_entity(void *user_data, const xmlChar *name) {
    Parse *parse = user_data;
    char message[300];
    snprintf(message, sizeof message, "Entity '%.200s' is not one of XML's own, and no others are expanded", name);
    CXMLParseRefuse(parse, message, CXMLParseReached(parse));
    return NULL;
}

void CXMLRefuseDeclarations(xmlSAXHandler *handler) {
    handler->internalSubset = note_document_type;
    handler->entityDecl = entity_declaration;
    handler->unparsedEntityDecl = unparsed_entity_declaration;
    handler->notationDecl = notation_declaration;
    handler->elementDecl = element_declaration;
    handler->attributeDecl = attribute_declaration;
    handler->getEntity = refuse_entity;
    handler->getParameterEntity = refuse_entity;
}
