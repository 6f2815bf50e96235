"""Networks over paths: a beam of support paths, answers of any form."""
