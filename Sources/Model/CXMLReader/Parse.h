/* One parse, and what its callbacks share. */

#ifndef PARSE_H
#define PARSE_H

#include "Document.h"
#include "SourceCursor.h"

#if __has_include(<libxml/parser.h>)
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#else
#include <libxml2/libxml/parser.h>
#include <libxml2/libxml/xmlerror.h>
#endif

/* What the callbacks of one parse share. */
typedef struct Parse {
    CXMLDocument *document;
    xmlParserCtxtPtr context;
    CXMLElement *current;
    int depth;
    SourceCursor cursor;
    /* Whether the cursor has kept step with the parser so far. */
    bool has_positions;
} Parse;

/* The place that the parser has reached. */
CXMLPosition CXMLParseReached(const Parse *parse);
/* Ends the parse with an error of our own, unless there is one already. */
void CXMLParseRefuse(Parse *parse, const char *message, CXMLPosition position);
/* Makes the parser refuse all that a document could declare for itself. */
void CXMLRefuseDeclarations(xmlSAXHandler *handler);

#endif
