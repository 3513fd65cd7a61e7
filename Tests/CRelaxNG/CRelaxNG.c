#include "CRelaxNG.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<libxml/relaxng.h>)
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#else
#include <libxml2/libxml/parser.h>
#include <libxml2/libxml/relaxng.h>
#endif

struct CRelaxNGSchema {
    xmlRelaxNGPtr schema;
};

/* The type of the parameter differs between versions of libxml2, by a const. */
#if LIBXML_VERSION >= 21200
static void append_error(void *user_data, const xmlError *error) {
#else
static void append_error(void *user_data, xmlErrorPtr error) {
#endif
    char *message = user_data;
    size_t length = strlen(message);
    const char *text = error->message == NULL ? "unknown error\n" : error->message;
    snprintf(message + length, CRELAXNG_MESSAGE_SIZE - length, "line %d: %s", error->line, text);
}

CRelaxNGSchema *CRelaxNGSchemaCreate(const void *bytes, size_t length, char *message) {
    message[0] = 0;
    xmlInitParser();
    xmlRelaxNGParserCtxtPtr context = xmlRelaxNGNewMemParserCtxt(bytes, (int)length);
    if (context == NULL) return NULL;
    xmlRelaxNGSetParserStructuredErrors(context, append_error, message);
    xmlRelaxNGPtr schema = xmlRelaxNGParse(context);
    xmlRelaxNGFreeParserCtxt(context);
    if (schema == NULL) return NULL;
    CRelaxNGSchema *result = malloc(sizeof *result);
    if (result == NULL) {
        xmlRelaxNGFree(schema);
        return NULL;
    }
    result->schema = schema;
    return result;
}

void CRelaxNGSchemaDestroy(CRelaxNGSchema *schema) {
    if (schema == NULL) return;
    xmlRelaxNGFree(schema->schema);
    free(schema);
}

bool CRelaxNGSchemaAccepts(CRelaxNGSchema *schema, const void *bytes, size_t length, char *message) {
    message[0] = 0;
    xmlDocPtr document = xmlReadMemory(
        bytes, (int)length, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (document == NULL) {
        snprintf(message, CRELAXNG_MESSAGE_SIZE, "The document is not well-formed");
        return false;
    }
    bool is_valid = false;
    xmlRelaxNGValidCtxtPtr context = xmlRelaxNGNewValidCtxt(schema->schema);
    if (context != NULL) {
        xmlRelaxNGSetValidStructuredErrors(context, append_error, message);
        is_valid = xmlRelaxNGValidateDoc(context, document) == 0;
        xmlRelaxNGFreeValidCtxt(context);
    }
    xmlFreeDoc(document);
    return is_valid;
}
