-- A session in Neovim: a model is made from nothing, with completion, diagnostics, fixes and hover.
-- The settings are those of Documentation/Editing.md, in the file that is the first argument.
local settings, file = arg[1], arg[2]
dofile(settings)
vim.opt.swapfile = false
vim.cmd.edit(vim.fn.fnameescape(file))

local function fail(message)
    io.stderr:write(message .. "\n")
    os.exit(1)
end

local function check(condition, message)
    if not condition then fail(message) end
end

check(vim.bo.filetype == "xcdatamodel", "the file type is '" .. vim.bo.filetype .. "'")
check(vim.wait(20000, function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end, 20), "no client is attached")

local function lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end

-- The place behind a piece of the text: that of the line that is no more, else the first.
local function place(text)
    for number, line in ipairs(lines()) do
        if line == text then return number - 1, #line end
    end
    for number, line in ipairs(lines()) do
        local _, last = line:find(text, 1, true)
        if last then return number - 1, last end
    end
    fail("there is no '" .. text .. "'")
end

local function request(method, line, column, more)
    local parameters = vim.tbl_extend("force", {
        textDocument = vim.lsp.util.make_text_document_params(vim.api.nvim_get_current_buf()),
        position = { line = line, character = column },
    }, more or {})
    local answers = vim.lsp.buf_request_sync(0, method, parameters, 20000)
    for _, answer in pairs(answers or {}) do
        check(not answer.error, method .. ": " .. vim.inspect(answer.error))
        return answer.result
    end
    fail(method .. " has no answer")
end

-- Takes a completion where a piece of the text ends, as a person does, and fills in its places.
local function complete(text, label, values)
    local line, column = place(text)
    local result = request("textDocument/completion", line, column)
    for _, item in ipairs(result.items) do
        if item.label == label then
            local written = item.textEdit.newText
            for number, value in ipairs(values or {}) do
                written = written:gsub("%${" .. number .. "[:|][^}]*}", value):gsub("%$" .. number, value)
            end
            written = written:gsub("%$0", "")
            local edits = { { range = item.textEdit.range, newText = written } }
            vim.list_extend(edits, item.additionalTextEdits or {})
            vim.lsp.util.apply_text_edits(edits, vim.api.nvim_get_current_buf(), "utf-8")
            return
        end
    end
    fail("there is no '" .. label .. "' at '" .. text .. "'")
end

local function codes()
    local found = {}
    for _, item in ipairs(vim.diagnostic.get(0)) do found[item.code] = true end
    return found
end

local function wait(condition, message)
    check(vim.wait(20000, condition, 20), message .. ": " .. vim.inspect(vim.diagnostic.get(0)))
end

complete("", "model", { "Post" })
local line = place('<entity name="Post"')
vim.api.nvim_buf_set_lines(0, line + 1, line + 2, false, { "        <" })
complete("        <", "attribute", { "headline", "NO", "String" })
for number, attribute in ipairs({ { "likes", "NO", "Integer 64" }, { "timestamp", "NO", "Date" } }) do
    vim.api.nvim_buf_set_lines(0, line + 1 + number, line + 1 + number, false, { "        <" })
    complete("        <", "attribute", attribute)
end
local likes = place('name="likes"')
vim.api.nvim_buf_set_lines(0, likes, likes + 1, false, { (lines()[likes + 1]:gsub('64"', '64" ')) })
complete('"Integer 64" ', "defaultValueString", { "0" })
vim.api.nvim_buf_set_lines(0, line + 5, line + 5, false, { '    <entity name="Author" representedClassName=".Author">', "        <", "    </entity>" })
wait(function() return codes()["malformed-xml"] end, "a half-typed text is not reported")
complete("        <", "attribute", { "name", "NO", "String" })
wait(function() return not codes()["malformed-xml"] end, "the text is still reported")
local last = place('<attribute name="name"')
vim.api.nvim_buf_set_lines(0, last + 1, last + 1, false, { "        r" })
complete("        r", "relationship posts with inverse Post.author")
complete('toMany="YES" deletionRule="', "Cascade")
wait(function() return vim.tbl_isempty(vim.diagnostic.get(0)) end, "the model has findings")

local row, column = place('name="headline')
local hover = request("textDocument/hover", row, column - 2)
check(hover and hover.contents.value:find("var headline: String", 1, true), "hover says " .. vim.inspect(hover))

-- A mistake, and its fix.
local text = lines()[row + 1]
vim.api.nvim_buf_set_lines(0, row, row + 1, false, { (text:gsub('"String"', '"Strng"')) })
wait(function() return codes()["unknown-attribute-type"] end, "the mistake is not reported")
vim.api.nvim_win_set_cursor(0, { row + 1, (lines()[row + 1]:find("Strng", 1, true)) })
vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.isPreferred end })
wait(function() return lines()[row + 1]:find('"String"', 1, true) end, "the fix is not applied")
wait(function() return vim.tbl_isempty(vim.diagnostic.get(0)) end, "the model has findings after the fix")

-- A rename is one edit.
vim.api.nvim_win_set_cursor(0, { row + 1, (lines()[row + 1]:find("headline", 1, true)) })
vim.lsp.buf.rename("title")
wait(function() return lines()[row + 1]:find('name="title"', 1, true) end, "the attribute keeps its name")
local formatted = request("textDocument/formatting", 0, 0, { options = { tabSize = 4, insertSpaces = true } })
vim.lsp.util.apply_text_edits(formatted, vim.api.nvim_get_current_buf(), "utf-8")
wait(function() return vim.tbl_isempty(vim.diagnostic.get(0)) end, "the model has findings after the rename")

vim.cmd.write()
print("made " .. #lines() .. " lines")
